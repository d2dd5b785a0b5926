internal import Basics

/// Text that anybody may have sent, as it may stand in the log, the audit log and alerts: on one line, short, and without tokens. A name
/// is sent where a secret belongs, and a secret where a name does, by whoever mixes up two settings.
enum LogText {
  /// Fewer characters after a prefix are no token of ours: the shortest has 43.
  private static let least = 16
  private static let omission = Array("\u{2026}".utf8)

  /// The text with what stands after the prefix of a token of ours (`mfr_`, `mfs_` and the like) or the beginning of a JWT left out.
  static func shown(_ text: String) -> String {
    let text = OutsideText.clean(text, limit: 200), bytes = Array(text.utf8), found = tokens(bytes)
    guard !found.isEmpty else { return text }
    var shown: [UInt8] = [], end = 0
    for secret in found {
      shown += bytes[end..<secret.lowerBound] + omission
      end = secret.upperBound
    }
    return String(decoding: shown + bytes[end...], as: UTF8.self)
  }

  /// Whether there is something in a text that would be left out.
  static func hasToken(_ text: String) -> Bool { !tokens(Array(text.utf8)).isEmpty }

  /// Where the secret parts are, in order.
  private static func tokens(_ bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = [], start = 0
    while start < bytes.count {
      guard isBoundary(bytes, start), let begin = prefix(bytes, start) else {
        start += 1
        continue
      }
      let end = bytes[begin...].firstIndex { !isOfToken($0) } ?? bytes.count
      if end - begin >= least { found.append(begin..<end) }
      // What is no token may still have one in it.
      start = end - begin >= least ? end : start + 1
    }
    return found
  }

  /// Whether a token may begin at an index: not in the midst of a word. There a prefix is chance, and ids that are made up at random, such as
  /// those of sign-ins and devices, would now and then be cut or refused.
  private static func isBoundary(_ bytes: [UInt8], _ at: Int) -> Bool {
    guard at > 0, bytes[at - 1] != 0x2E, isOfToken(bytes[at - 1]) else { return true }
    // After an escape of an address (RFC 3986 2.1).
    return at >= 3 && bytes[at - 3] == 0x25 && isHexadecimal(bytes[at - 2]) && isHexadecimal(bytes[at - 1])
  }

  /// Where the prefix of a token that stands at an index is over; nil when none does.
  private static func prefix(_ bytes: [UInt8], _ at: Int) -> Int? {
    let left = bytes.count - at
    if left >= 3, bytes[at] == 0x65, bytes[at + 1] == 0x79, bytes[at + 2] == 0x4A { return at + 3 }  // eyJ
    // mf, a letter, and a line.
    guard left >= 4, bytes[at] == 0x6D, bytes[at + 1] == 0x66, (0x61...0x7A).contains(bytes[at + 2]),
      bytes[at + 3] == 0x5F
    else { return nil }
    return at + 4
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  // Base64url, and the dot between the parts of a JWT.
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
