/// An absolute URL with an authority, taken apart byte by byte as RFC 3986 has it. Strict: what that grammar does not
/// allow is an error, with a phrase that says what and never repeats the text.
struct URLReference: Equatable {
  /// What a host is.
  enum Host: Equatable {
    /// A name in lower case.
    case name(String)
    /// Four numbers.
    case v4([UInt8])
    /// Sixteen bytes.
    case v6([UInt8])
  }

  /// In lower case.
  let scheme: String
  let hasUserInformation: Bool
  /// Whether the user information has a part behind a colon that is not empty.
  let hasPassword: Bool
  let host: Host
  /// Nil without a colon.
  let port: UInt16?
  /// Empty, or beginning with a slash.
  let path: String
  let query: String?
  let fragment: String?

  /// Takes a URL apart.
  static func parse(_ text: String) -> Result<URLReference, Problem> {
    do throws(Problem) { return .success(try URLReference(text)) } catch { return .failure(error) }
  }

  /// What is wrong with a URL, as a phrase that completes "it ...".
  struct Problem: Error, Equatable {
    let phrase: String

    init(_ phrase: String) { self.phrase = phrase }
  }

  init(_ text: String) throws(Problem) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 2048 else { throw Problem("is longer than 2048 bytes") }
    guard let colon = bytes.firstIndex(of: 0x3A), URLReference.isScheme(bytes[..<colon]) else {
      throw Problem("has no scheme")
    }
    scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    var rest = bytes[(colon + 1)...]
    guard rest.starts(with: [0x2F, 0x2F]) else { throw Problem("has no '//' behind its scheme") }
    rest = rest.dropFirst(2)

    let authority = rest.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    rest = rest.dropFirst(authority.count)
    var hostAndPort = authority
    if let at = authority.lastIndex(of: 0x40) {
      let information = authority[..<at]
      try URLReference.check(information, allowing: [0x3A], part: "user information")
      hasUserInformation = true
      hasPassword = information.firstIndex(of: 0x3A).map { $0 + 1 < information.endIndex } ?? false
      hostAndPort = authority[(at + 1)...]
    } else {
      hasUserInformation = false
      hasPassword = false
    }
    (host, port) = try URLReference.hostAndPort(hostAndPort)

    let path = rest.prefix { $0 != 0x3F && $0 != 0x23 }
    try URLReference.check(path, allowing: [0x2F, 0x3A, 0x40], part: "path")
    self.path = String(decoding: path, as: UTF8.self)
    rest = rest.dropFirst(path.count)

    var query: ArraySlice<UInt8>?
    if rest.first == 0x3F {
      let found = rest.dropFirst().prefix { $0 != 0x23 }
      try URLReference.check(found, allowing: [0x2F, 0x3A, 0x40, 0x3F], part: "query")
      rest = rest.dropFirst(found.count + 1)
      query = found
    }
    self.query = query.map { String(decoding: $0, as: UTF8.self) }
    if rest.first == 0x23 {
      try URLReference.check(rest.dropFirst(), allowing: [0x2F, 0x3A, 0x40, 0x3F], part: "fragment")
      fragment = String(decoding: rest.dropFirst(), as: UTF8.self)
    } else {
      fragment = nil
    }
  }

  /// Whether text is a scheme (RFC 3986, 3.1).
  static func isScheme(_ text: String) -> Bool { isScheme(Array(text.utf8)[...]) }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
  }

  static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// Checks that a part holds unreserved characters, sub-delimiters, whole percent escapes and `extra` only.
  static func check(_ bytes: ArraySlice<UInt8>, allowing extra: [UInt8], part: String) throws(Problem) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == 0x25 {
        guard index + 2 < bytes.endIndex, isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else {
          throw Problem("has a '%' without two hexadecimal digits in its \(part)")
        }
        index += 3
        continue
      }
      guard isLetter(byte) || isDigit(byte) || Array("-._~!$&'()*+,;=".utf8).contains(byte) || extra.contains(byte)
      else { throw Problem("has a character in its \(part) that must be percent-encoded or left out") }
      index += 1
    }
  }
}
