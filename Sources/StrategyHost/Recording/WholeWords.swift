internal import SecureMemory

/// Finds what is too short for a ``SecretMask``: only where it stands as a word of its own or is the whole text, since within
/// words it would hide half of every text. It compares the bytes, so it is not for texts whose author can measure the time.
struct WholeWords {
  private var known: [SecureBox] = []

  /// Adds a secret. Those that a ``SecretMask`` takes are left out.
  mutating func add(_ secret: SecureBox) {
    if (1...3).contains(secret.bytes.count) { known.append(secret) }
  }

  /// A text with each of them replaced by `********`.
  func masked(_ text: String) -> String {
    guard !known.isEmpty else { return text }
    let bytes = Array(text.utf8)
    var shown: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let isStart = at == 0 || !WholeWords.isOfWord(bytes[at - 1])
      if isStart, let length = lengthOfSecret(in: bytes[at...]) {
        shown += Array(RecordingMask.mask.utf8)
        at += length
      } else {
        shown.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private func lengthOfSecret(in rest: ArraySlice<UInt8>) -> Int? {
    for secret in known {
      let length = secret.bytes.count
      let isHere = unsafe secret.bytes.withBytes { unsafe rest.starts(with: $0) }
      if isHere, rest.dropFirst(length).first.map(WholeWords.isOfWord) != true { return length }
    }
    return nil
  }

  // Letters and digits of ASCII, and all that is not ASCII.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: false
    }
  }
}
