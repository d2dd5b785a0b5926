public import Basics

/// Which claims about a user a scope lets a client see (OpenID Connect Core 5.4).
public enum ProfileClaims {
  /// The claims of each scope, in the order they are written in. `employeeId` is ours: whose profile an app shows.
  public static let byScope: [(scope: String, claims: [String])] = [
    (
      "profile",
      [
        "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
        "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
        "employeeId",
      ]
    ),
    ("email", ["email", "email_verified"]),
    ("address", ["address"]),
    ("phone", ["phone_number", "phone_number_verified"]),
  ]

  /// Those of a user's claims that were granted; no others, so that none stands for a claim of the token's own.
  public static func granted(_ claims: [String: JSONValue], scopes: [String]) -> [JSONValue.Member] {
    guard !claims.isEmpty else { return [] }
    return byScope.filter { scopes.contains($0.scope) }.flatMap(\.claims).compactMap { name in
      claims[name].map { JSONValue.Member(name, $0) }
    }
  }
}
