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
      guard let begin = prefix(bytes[start...]) else {
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

  /// Where the prefix of a token that a text begins with is over; nil when it begins with none.
  private static func prefix(_ text: ArraySlice<UInt8>) -> Int? {
    let first = Array(text.prefix(4)), at = text.startIndex
    if first.starts(with: "eyJ".utf8) { return at + 3 }
    guard first.count == 4, first.starts(with: "mf".utf8), (0x61...0x7A).contains(first[2]), first[3] == 0x5F else {
      return nil
    }
    return at + 4
  }

  // Base64url, and the dot between the parts of a JWT.
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
