extension URLReference {
  static func hostAndPort(_ bytes: ArraySlice<UInt8>) throws(Problem) -> (Host, UInt16?) {
    guard bytes.first == 0x5B else {
      let name = bytes.prefix { $0 != 0x3A }
      return (try host(name), try port(bytes.dropFirst(name.count)))
    }
    guard let end = bytes.firstIndex(of: 0x5D), let address = v6(bytes[(bytes.startIndex + 1)..<end]) else {
      throw Problem("has no IPv6 address between its brackets")
    }
    return (.v6(address), try port(bytes[(end + 1)...]))
  }

  // Nothing, or a colon and 1...65535. A colon alone is allowed by the grammar and is a mistake in a setting.
  private static func port(_ bytes: ArraySlice<UInt8>) throws(Problem) -> UInt16? {
    guard let first = bytes.first else { return nil }
    let digits = bytes.dropFirst()
    guard first == 0x3A, (1...5).contains(digits.count), digits.allSatisfy(isDigit),
      let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
    else { throw Problem("has no port from 1 to 65535 behind its host") }
    return number
  }

  private static func host(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Host {
    guard !bytes.isEmpty else { throw Problem("has no host") }
    // A last label that is a number makes it an address or nothing (WHATWG URL, "ends in a number"): some resolvers
    // take 0x7f.1 or 2130706433 for one, so such a host may not pass as a name.
    let labels = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    if let address = v4(bytes) { return .v4(address) }
    guard bytes.count <= 254,
      bytes.allSatisfy({ isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F })
    else { throw Problem("has a host with a character that host names do not have") }
    let written = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
    guard
      let last = written.last,
      written.allSatisfy({ !$0.isEmpty && $0.count <= 63 && $0.first != 0x2D && $0.last != 0x2D })
    else { throw Problem("has a host with a label that is empty, too long, or begins or ends with '-'") }
    guard !isNumber(last) else { throw Problem("has a host that is neither a name nor an IPv4 address") }
    return .name(String(decoding: bytes, as: UTF8.self).lowercased())
  }

  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    if label.allSatisfy(isDigit) { return true }
    return label.count >= 2 && label.starts(with: [0x30]) && (label[label.startIndex + 1] | 0x20) == 0x78
      && label.dropFirst(2).allSatisfy(isHexDigit)
  }

  /// Four numbers without leading zeros (RFC 3986, IPv4address).
  static func v4(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy(isDigit), part.count == 1 || part.first != 0x30,
        let number = UInt8(String(decoding: part, as: UTF8.self))
      else { return nil }
      address.append(number)
    }
    return address
  }

  /// An IPv6 address (RFC 4291, 2.2), with or without an IPv4 tail; no zone.
  static func v6(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.count <= 45 else { return nil }
    var head: [UInt8] = []
    var tail: [UInt8]?
    var rest = bytes
    if rest.starts(with: [0x3A, 0x3A]) {
      tail = []
      rest = rest.dropFirst(2)
    }
    while !rest.isEmpty {
      let group = rest.prefix { $0 != 0x3A }
      rest = rest.dropFirst(group.count)
      guard let part = part(group, isLast: rest.isEmpty) else { return nil }
      if tail == nil { head += part } else { tail? += part }
      guard !rest.isEmpty else { break }
      rest = rest.dropFirst()
      if rest.first == 0x3A {
        guard tail == nil else { return nil }
        tail = []
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return nil
      }
    }
    guard let tail else { return head.count == 16 ? head : nil }
    guard head.count + tail.count <= 14 else { return nil }
    return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  private static func part(_ group: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]? {
    if group.contains(0x2E) { return isLast ? v4(group) : nil }
    guard (1...4).contains(group.count), group.allSatisfy(isHexDigit),
      let number = UInt16(String(decoding: group, as: UTF8.self), radix: 16)
    else { return nil }
    return [UInt8(number >> 8), UInt8(number & 0xFF)]
  }
}
