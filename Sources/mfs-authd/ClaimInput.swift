internal import BackendKeys
internal import Basics
internal import CommandLine

/// Claims of a user as options: the usual ones by names of their own, the others by `--claim`.
enum ClaimInput {
  static let options: [OptionSpec] = [
    .value("name", .text("TEXT"), "the claim name: the full name, as it is shown"),
    .value("email", .text("ADDRESS"), "the claim email"),
    .value("employee-id", .text("ID"), "the claim employeeId: the employee whose profile the app shows"),
    .value(
      "claim", .text("NAME=VALUE"), repeats: true,
      "a claim of the user's ID tokens, such as given_name=Alice; true, false and whole numbers are no texts"),
  ]

  private static let named = [("name", "name"), ("email", "email"), ("employee-id", "employeeId")]

  /// Those that were given. Throws ``FailureCode/usage`` for one that is none or stands twice. Of those that no app would see a
  /// warning tells.
  static func read(_ invocation: Invocation, _ console: Console) throws(Failure) -> [String: JSONValue] {
    var claims: [String: JSONValue] = [:]
    func add(_ name: String, _ value: JSONValue) throws(Failure) {
      guard claims.updateValue(value, forKey: name) == nil else {
        throw Failure(.usage, "the claim \(name) is given twice")
      }
    }
    for (option, name) in named {
      guard let text = invocation.value(option) else { continue }
      guard !text.isEmpty else { throw Failure(.usage, "--\(option) is empty") }
      try add(name, .string(text))
    }
    for text in invocation.values("claim") {
      let (name, value) = try claim(text)
      if !ProfileClaims.byScope.contains(where: { $0.claims.contains(name) }) {
        console.warn("no scope lets an app see the claim \(name)")
      }
      try add(name, value)
    }
    return claims
  }

  private static func claim(_ text: String) throws(Failure) -> (name: String, value: JSONValue) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Failure(.usage, "--claim needs NAME=VALUE", hint: "such as --claim locale=de")
    }
    switch parts[1] {
    case "true": return (parts[0], .bool(true))
    case "false": return (parts[0], .bool(false))
    default: return (parts[0], Int64(parts[1]).map { .integer($0) } ?? .string(parts[1]))
    }
  }
}
