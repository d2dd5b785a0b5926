public import Basics

/// A publisher's public key, in the format of minisign: base64 of `Ed`, an 8-byte key id and an Ed25519 key.
public struct MinisignPublicKey: Sendable, Equatable, CustomStringConvertible {
  /// Which key it is; random, and only to find the right one by.
  let id: MinisignKeyID
  /// The Ed25519 key (RFC 8032), 32 bytes.
  let key: [UInt8]

  /// Reads a key as it stands on the second line of its file, `RW...`; nil for anything else.
  init?(text: some StringProtocol) {
    guard let bytes = Base64Text.decode(text, count: 42), bytes.starts(with: MinisignFormat.legacy) else { return nil }
    id = MinisignKeyID(bytes: Array(bytes[2..<10]))
    key = Array(bytes[10...])
  }

  /// Reads the file that `minisign -G` writes: a comment and the key; or the key alone. Throws ``FailureCode/notFound``,
  /// ``FailureCode/configuration``.
  public init(file path: String) throws(Failure) {
    let bytes = try Files.read(path, limit: MinisignFormat.fileLimit)
    let lines = MinisignFormat.lines(bytes) ?? []
    let text = lines.first?.hasPrefix(MinisignFormat.untrusted) == true ? lines.dropFirst() : lines[...]
    guard text.count == 1, let line = text.first, let key = MinisignPublicKey(text: line) else {
      throw Failure(
        .configuration, "\(OutsideText.clean(path, limit: 300)) is not a public key of minisign",
        hint: "name the publisher's file, such as minisign.pub")
    }
    self = key
  }

  /// The key as its file has it, `RW...`.
  public var description: String { Base64Text.encode(MinisignFormat.legacy + id.bytes + key) }

  /// The key's id as minisign prints it, 16 hexadecimal digits.
  public var idText: String { id.description }
}

/// The 8 bytes that name a key.
struct MinisignKeyID: Sendable, Equatable, CustomStringConvertible {
  let bytes: [UInt8]

  /// A little-endian number in upper-case hexadecimal, as minisign prints it.
  var description: String { Hexadecimal.encode(bytes.reversed()).uppercased() }
}

/// What the files of minisign have in common (https://jedisct1.github.io/minisign/).
enum MinisignFormat {
  /// Marks keys, and signatures of a whole file.
  static let legacy = Array("Ed".utf8)
  /// Marks signatures of a file's BLAKE2b-512 digest.
  static let prehashed = Array("ED".utf8)
  static let untrusted = "untrusted comment: "
  static let trusted = "trusted comment: "
  /// No file of it is larger, in bytes.
  static let fileLimit = 16_384

  /// The lines of a file, without their ends; nil when it is not UTF-8.
  static func lines(_ bytes: [UInt8]) -> [String]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    // By scalars: Swift takes CR LF for one character.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.last == "\r" ? line.dropLast() : line)
    }
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
