public import Basics
public import HTTPClient
public import SecureMemory

/// A `Set-Cookie` of an answer (RFC 6265 5.2), its value in guarded memory.
public struct ReplicationCookie {
  /// The name.
  public let name: String
  /// The value.
  public let value: SecureBox
  /// The path that it is sent to; `/` when the server names none.
  public let path: String
  /// When it ends; nil when the server does not say, and then it is not kept beyond the process.
  public let expires: Timestamp?

  /// The cookies that an answer sets, in order. What is none is left out.
  public static func set(by response: HTTPResponse) -> [ReplicationCookie] {
    response.indexes(of: "Set-Cookie").compactMap { index in
      unsafe response.withValue(at: index) { bytes -> ReplicationCookie? in unsafe ReplicationCookie(bytes) } ?? nil
    }
  }

  init?(_ field: UnsafeRawBufferPointer) {
    let end = unsafe field.firstIndex(of: 0x3B) ?? field.count
    guard let equals = unsafe field[..<end].firstIndex(of: 0x3D), equals > 0 else { return nil }
    // Only the name and the attributes become a text.
    let name = unsafe String(decoding: field[..<equals], as: UTF8.self)
    guard let secret = try? unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: field[(equals + 1)..<end]))
    else {
      return nil
    }
    var path = "/", expires: Timestamp?
    let attributes = unsafe String(decoding: field[end...], as: UTF8.self)
    for part in attributes.split(separator: ";") {
      let halves = part.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " } }
      guard halves.count == 2 else { continue }
      switch halves[0].lowercased() {
      case "path": path = halves[1].hasPrefix("/") ? String(halves[1]) : "/"
      case "expires": expires = Timestamp(httpDate: String(halves[1])) ?? expires
      default: break
      }
    }
    self.name = name
    value = SecureBox(secret)
    self.path = path
    self.expires = expires
  }

  /// Whether it goes with a request for a path (RFC 6265 5.1.4).
  public func matches(path target: String) -> Bool {
    target == path || target.hasPrefix(path.hasSuffix("/") ? path : path + "/") || target.hasPrefix(path + "?")
  }
}
