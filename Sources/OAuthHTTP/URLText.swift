/// A text for a query (RFC 3986 3.4): everything but letters, digits and `-._~` is percent-encoded.
public func percentEncoded(_ text: String, plusForBlank: Bool = false) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var out: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: out.append(byte)
    case 0x20 where plusForBlank: out.append(0x2B)
    default: out += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: out, as: UTF8.self)
}

/// Names and values as a query.
public func queryText(_ items: [(name: String, value: String)]) -> String {
  items.map { percentEncoded($0.name) + "=" + percentEncoded($0.value) }.joined(separator: "&")
}

/// Whether two texts are the same bytes: identifiers and addresses are compared so (RFC 3986 6.2.1), while `==` takes texts
/// for equal that Unicode calls equivalent.
public func isSame(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool { a.utf8.elementsEqual(b.utf8) }

/// Where answers may be sent.
public enum RedirectRule {
  private static let loopback = ["http://127.0.0.1", "http://[::1]"]

  /// Whether an address is a registered one: the same bytes, but for the port of a loopback address given by number
  /// (RFC 8252 7.3). `localhost` is a name like any other.
  public static func allows(_ given: String, registered: [String]) -> Bool {
    guard !given.contains("#"), given.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    return registered.contains { one in
      if isSame(one, given) { return true }
      guard let host = loopback.first(where: { one.hasPrefix($0) && given.hasPrefix($0) }),
        let wanted = withoutPort(one.dropFirst(host.count)), let rest = withoutPort(given.dropFirst(host.count))
      else { return false }
      return isSame(wanted, rest)
    }
  }

  // What follows the host, without the port; nil when the host goes on, or the port is none.
  private static func withoutPort(_ text: Substring) -> Substring? {
    guard text.hasPrefix(":") else { return text.isEmpty || text.hasPrefix("/") ? text : nil }
    let digits = text.dropFirst().prefix { ("0"..."9").contains($0) && $0.isASCII }
    guard let port = UInt16(digits), port > 0, digits.utf8.count <= 5 else { return nil }
    let rest = text.dropFirst(1 + digits.count)
    return rest.isEmpty || rest.hasPrefix("/") ? rest : nil
  }
}
