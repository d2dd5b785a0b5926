public import Basics

/// Finds secrets in texts. It compares fingerprints and not the bytes, so that the time it takes is bounded by the text and
/// does not tell how much of a secret a text has right: a plugin can measure that time, and chooses the text.
///
/// A fingerprint is the polynomial of the bytes at a random number (Karp and Rabin), modulo 2^64. A secret of more than 64
/// bytes is known by its pieces; one that was cut is found by those that are left.
public struct SecretMask {
  /// The most bytes that are looked at of a text. No more is shown of any.
  private static let textLimit = 4_096
  private static let pieceLimit = 64
  // Shorter ones would hide half of every text.
  private static let shortest = 4

  private let key: SecureBox
  /// The fingerprints of pieces, by their length.
  private var known: [Int: Set<UInt64>] = [:]

  /// A mask that knows no secret. Throws ``FailureCode/outOfMemory``.
  public init() throws(Failure) { key = SecureBox(try .random(count: MemoryLayout<UInt64>.size)) }

  private var base: UInt64 { unsafe key.bytes.withBytes { unsafe $0.loadUnaligned(as: UInt64.self) | 1 } }

  /// Adds a secret. Those of fewer than 4 bytes are left out.
  public mutating func add(_ secret: SecureBox) {
    let base = self.base, count = secret.bytes.count, length = min(count, SecretMask.pieceLimit)
    guard length >= SecretMask.shortest else { return }
    var fingerprints = known[length] ?? []
    unsafe secret.bytes.withBytes { bytes in
      let last = min(count, SecretMask.textLimit) - length
      for start in Array(stride(from: 0, through: last, by: length)) + [last] {
        let piece = unsafe bytes[start..<(start + length)]
        fingerprints.insert(unsafe piece.reduce(0) { $0 &* base &+ UInt64($1) })
      }
    }
    known[length] = fingerprints
  }

  /// A text with what is secret in it replaced by `********`.
  public func masked(_ text: String) -> String {
    var bytes = Array(text.utf8.prefix(SecretMask.textLimit))
    // What begins a piece and was cut before its end cannot be told from other text.
    if bytes.count == SecretMask.textLimit { bytes.removeLast(SecretMask.pieceLimit - 1) }
    let base = self.base
    var isSecret = [Bool](repeating: false, count: bytes.count)
    for (length, fingerprints) in known where length <= bytes.count {
      let lead = (1..<length).reduce(1) { power, _ in power &* base }
      var current: UInt64 = 0
      for end in bytes.indices {
        if end >= length { current &-= lead &* UInt64(bytes[end - length]) }
        current = current &* base &+ UInt64(bytes[end])
        guard end >= length - 1, fingerprints.contains(current) else { continue }
        for index in (end - length + 1)...end { isSecret[index] = true }
      }
    }
    var shown: [UInt8] = []
    for index in bytes.indices {
      if !isSecret[index] {
        shown.append(bytes[index])
      } else if index == 0 || !isSecret[index - 1] {
        shown += SecretMask.mask
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private static let mask = Array("********".utf8)
}
