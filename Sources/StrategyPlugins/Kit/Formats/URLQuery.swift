/// The parts of a URL with a query of names and values (`application/x-www-form-urlencoded`, WHATWG URL 5.1).
public struct URLQuery: Hashable, Sendable {
  /// A name and its value, decoded.
  public struct Item: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value; empty when there is none.
    public let value: String
  }

  /// What stands before the query.
  public let page: String
  /// The query's items, in order.
  public let items: [Item]

  /// Reads a URL; nil when it has a fragment, or a name or value that is not percent-encoded UTF-8.
  public init?(_ url: String) {
    guard !url.utf8.contains(0x23) else { return nil }
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    page = parts.first.map(String.init) ?? ""
    var items: [Item] = []
    for field in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = URLQuery.decoded(halves[0]), let value = URLQuery.decoded(halves.count > 1 ? halves[1] : "")
      else { return nil }
      items.append(Item(name: name, value: value))
    }
    self.items = items
  }

  /// The value of a name that stands once; nil when it is absent, empty, or there more than once.
  public func single(_ name: String) -> String? {
    let found = items.filter { $0.name == name }
    return found.count == 1 ? found.first?.value.nonEmpty : nil
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      switch byte {
      case 0x2B: bytes.append(0x20)
      case 0x25:
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
