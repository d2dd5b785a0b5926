internal import Glibc

/// The process environment, read once and passed on as a value, so that tests need not change their own.
public struct Environment: Sendable {
  /// Every variable; of a name that stands twice, the first, as `getenv` does.
  public let variables: [String: String]

  /// An environment of these variables.
  public init(_ variables: [String: String]) { self.variables = variables }

  /// The value of a variable; nil when unset. An empty value is a value.
  public subscript(_ name: String) -> String? { variables[name] }

  /// The value of a variable that counts only when it is not empty, as the XDG base directory specification asks.
  public func nonEmpty(_ name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// The environment of this process. Bytes that are not UTF-8 become U+FFFD.
  public static func current() -> Environment {
    var variables: [String: String] = [:]
    var cursor = unsafe environ
    while let entry = unsafe cursor.pointee {
      let pair = unsafe String(cString: entry)
      if let equals = pair.utf8.firstIndex(of: 0x3D) {
        let name = String(pair[..<equals])
        if variables[name] == nil { variables[name] = String(pair[pair.utf8.index(after: equals)...]) }
      }
      unsafe cursor += 1
    }
    return Environment(variables)
  }
}
