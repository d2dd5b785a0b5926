internal import Glibc

/// The process environment, read once and passed on as a value, so that tests need not change their own.
public struct Environment: Sendable {
  /// Every variable; of a name that stands twice, the first, as `getenv` does.
  public let variables: [String: String]

  // The variables whose value is not UTF-8.
  private let malformed: Set<String>

  /// An environment of these variables.
  public init(_ variables: [String: String]) { self.init(variables, malformed: []) }

  private init(_ variables: [String: String], malformed: Set<String>) {
    self.variables = variables
    self.malformed = malformed
  }

  /// The value of a variable; nil when unset. An empty value is a value.
  public subscript(_ name: String) -> String? { variables[name] }

  /// The value of a variable that counts only when it is not empty, as the XDG base directory specification asks.
  public func nonEmpty(_ name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// The value of a variable that is a path, or otherwise must be known exactly; nil when it is unset or empty. Throws
  /// ``FailureCode/configuration`` when it is not UTF-8: what it was turned into would name something else.
  public func path(_ name: String) throws(Failure) -> String? {
    guard !malformed.contains(name) else {
      throw Failure(.configuration, "\(name) is not valid UTF-8", hint: "set it to a path that is")
    }
    return nonEmpty(name)
  }

  /// The environment of this process. Bytes that are not UTF-8 become U+FFFD; ``path(_:)`` refuses such a value.
  public static func current() -> Environment {
    var variables: [String: String] = [:]
    var malformed: Set<String> = []
    var cursor = unsafe environ
    while let entry = unsafe cursor.pointee {
      let pair = unsafe String(cString: entry)
      if let equals = pair.utf8.firstIndex(of: 0x3D) {
        let name = String(pair[..<equals])
        if variables[name] == nil {
          variables[name] = String(pair[pair.utf8.index(after: equals)...])
          // Looked at only where a repair can have been made.
          if pair.unicodeScalars.contains("\u{FFFD}"), unsafe String(validatingCString: entry) == nil {
            malformed.insert(name)
          }
        }
      }
      unsafe cursor += 1
    }
    return Environment(variables, malformed: malformed)
  }
}
