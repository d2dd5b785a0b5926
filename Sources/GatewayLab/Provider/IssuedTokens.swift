internal import Basics

/// What a grant brought (RFC 6749 5.1, OpenID Connect Core 3.1.3.3), on its way to the client. The texts are worth something
/// in this lab only, while it runs.
struct IssuedTokens {
  var accessToken: String?
  var idToken: String?
  var refreshToken: String?
  var expiresIn: Int64
  var scopes: [String]
  /// `exp` of the ID token, as it was meant.
  var idTokenExpires: Timestamp?

  /// The answer of the token endpoint.
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let accessToken {
      members += [
        .init("access_token", .string(accessToken)), .init("token_type", "Bearer"),
        .init("expires_in", .integer(expiresIn)),
      ]
    }
    if let refreshToken { members.append(.init("refresh_token", .string(refreshToken))) }
    if let idToken { members.append(.init("id_token", .string(idToken))) }
    return .object(members + [.init("scope", .string(scopes.joined(separator: " ")))])
  }

  /// What stands in an address after the implicit flow (OpenID Connect Core 3.2.2.5).
  var parameters: [(name: String, value: String)] {
    var items: [(name: String, value: String)] = []
    if let accessToken {
      items += [("access_token", accessToken), ("token_type", "Bearer"), ("expires_in", String(expiresIn))]
    }
    if let idToken { items.append(("id_token", idToken)) }
    return items
  }
}
