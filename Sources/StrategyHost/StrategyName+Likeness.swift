extension StrategyName {
  // A plugin's question is shown as `NAME asks: ...`: these would seem to be asked by something that a person trusts more.
  private static let trusted = [
    "mfs", "vault", "session", "strategy", "lab", "toolkit", "plugin", "host", "keyring", "keychain", "keyctl",
    "secrets",
    "secret_service", "gnome_keyring", "kwallet", "wallet", "system", "systemd", "security", "administrator", "admin",
    "root", "sudo", "su", "doas", "polkit", "pkexec", "pam", "login", "passwd", "password", "passphrase", "gpg", "ssh",
    "tpm", "terminal", "shell", "bash", "sh", "linux", "debian", "kernel", "os", "operating_system", "this_machine",
    "this_computer",
  ]

  /// What the name could be taken for, as the end of a sentence that begins with the name; nil when for nothing. Letters
  /// that look alike count as one (`0` and `o`, `rn` and `m`), and underscores do not count.
  var likeness: String? {
    let shape = StrategyName.shape(text)
    if let own = StrategyName.reserved.first(where: { StrategyName.shape($0) == shape }) {
      return own == text ? "belongs to mfsctl's own plugin" : "looks like that of mfsctl's own plugin '\(own)'"
    }
    // With anything before or behind it still says who seems to ask.
    if shape.contains(StrategyName.shape("mfsctl")) { return "would let its questions pass for mfsctl's own" }
    guard let word = StrategyName.trusted.first(where: { StrategyName.shape($0) == shape }) else { return nil }
    return "would let its questions pass for those of '\(word)'"
  }

  private static func shape(_ text: String) -> String {
    let alike: [Character: Character] = [
      "0": "o", "1": "l", "i": "l", "5": "s", "3": "e", "4": "a", "7": "t", "8": "b",
    ]
    let letters = text.compactMap { $0 == "_" ? nil : alike[$0] ?? $0 }
    var shape = ""
    for letter in letters {
      switch (shape.last, letter) {
      case ("r", "n"): shape.replaceLast(by: "m")
      case ("v", "v"): shape.replaceLast(by: "w")
      default: shape.append(letter)
      }
    }
    return shape
  }
}

extension String {
  fileprivate mutating func replaceLast(by letter: Character) {
    removeLast()
    append(letter)
  }
}
