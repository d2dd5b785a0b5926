/// The parts of a password's hash as it is stored: `$argon2id$v=19$m=KIB,t=PASSES,p=1$SALT$HASH`, both in base64 without padding.
struct Argon2Text {
  let memory: Int
  let operations: UInt64
  let salt: [UInt8]
  let hash: [UInt8]

  /// Nil for what is no such text, or has other sizes than those of ours.
  init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else { return nil }
    let costs = parts[3].split(separator: ",").map(String.init)
    guard costs.count == 3, costs[2] == "p=1", let kibibytes = Argon2Text.number("m=", costs[0]),
      let passes = Argon2Text.number("t=", costs[1]), let salt = AnyBase64.decode(parts[4]), salt.count == 16,
      let hash = AnyBase64.decode(parts[5]), (16...64).contains(hash.count)
    else { return nil }
    memory = Int(kibibytes) << 10
    operations = UInt64(passes)
    self.salt = salt
    self.hash = hash
  }

  private static func number(_ name: String, _ text: String) -> UInt32? {
    text.hasPrefix(name) ? UInt32(text.dropFirst(name.count)) : nil
  }
}
