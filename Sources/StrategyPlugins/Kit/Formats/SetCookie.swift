public import Basics

/// A `Set-Cookie` header field, read as RFC 6265 5.2 has user agents read it.
public struct SetCookie: Hashable, Sendable {
  /// The cookie's name; never empty.
  public let name: String
  /// The cookie's value; empty when the server deletes it.
  public let value: String
  /// `Expires`, when it is a date.
  public let expires: Timestamp?
  /// `Max-Age` in seconds, which counts before `Expires`.
  public let maxAge: Int64?
  /// `Path`, when it begins with a slash.
  public let path: String?

  /// Reads a header field's value; nil when it names no cookie.
  public init?(_ field: String) {
    var parts = field.split(separator: ";", omittingEmptySubsequences: false)[...]
    guard let first = parts.popFirst(), let (name, value) = SetCookie.pair(first), let value, !name.isEmpty else {
      return nil
    }
    var expires: Timestamp?, maxAge: Int64?, path: String?
    for part in parts {
      guard let (attribute, content) = SetCookie.pair(part), let content else { continue }
      // Of an attribute that stands twice the last counts.
      switch attribute.lowercased() {
      case "expires": expires = Timestamp(httpDate: content) ?? expires
      case "max-age": maxAge = SetCookie.delta(content) ?? maxAge
      case "path": path = content.hasPrefix("/") ? content : nil
      default: break
      }
    }
    (self.name, self.value, self.expires, self.maxAge, self.path) = (name, value, expires, maxAge, path)
  }

  /// When it ends, for a cookie that arrived at `now`; nil when the server did not say. A `Max-Age` of zero or less ends it
  /// at once, and none leads beyond the year 9999, which RFC 3339 could not say.
  public func end(now: Timestamp) -> Timestamp? {
    maxAge.map { $0 <= 0 ? now : min(now.advanced(by: $0), Timestamp.expressible.upperBound) } ?? expires
  }

  // RFC 6265 5.2.2: digits, perhaps behind a `-`. What is beyond the range is still a time far away, and not none.
  private static func delta(_ text: String) -> Int64? {
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text) ?? (text.hasPrefix("-") ? .min : .max)
  }

  /// Those that no later one of the same name and path replaces, as user agents keep them (RFC 6265 5.3): one that a later
  /// field deletes is not among them, the one that deletes is.
  static func latest(_ cookies: [SetCookie]) -> [SetCookie] {
    struct Place: Hashable {
      let name: String
      let path: String?
    }
    var seen: Set<Place> = []
    return cookies.reversed().filter { seen.insert(Place(name: $0.name, path: $0.path)).inserted }.reversed()
  }

  private static func pair(_ part: Substring) -> (name: String, value: String?)? {
    let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = halves.first else { return nil }
    return (String(name).trimmingSpaces(), halves.count == 2 ? String(halves[1]).trimmingSpaces() : nil)
  }
}
