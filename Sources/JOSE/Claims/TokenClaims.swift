public import Basics

/// The claims of a token whose signature was verified (RFC 7519 4), strictly read.
public struct TokenClaims: Sendable {
  /// All of them, in order.
  public let all: JSONValue

  /// A claim by its exact name; nil when the token has none.
  public subscript(_ name: String) -> JSONValue? { all[name] }

  init(_ payload: [UInt8]) throws(TokenRefusal) {
    all = try TokenRefusal.object(
      payload, "payload", reason: .payload, maximumSize: JWSVerifier.maximumTokenSize)
  }

  /// A string, which must be there and not be empty.
  func text(_ name: String) throws(TokenRefusal) -> String {
    guard let text = try optionalText(name) else { throw .missingClaim(name) }
    guard !text.isEmpty else { throw .malformedClaim(name, "is empty") }
    return text
  }

  /// A string, when it is there.
  func optionalText(_ name: String) throws(TokenRefusal) -> String? {
    guard let value = all[name] else { return nil }
    guard let text = value.string else { throw .malformedClaim(name, "is not a string") }
    return text
  }

  /// A date, which must be there.
  func date(_ name: String) throws(TokenRefusal) -> Timestamp {
    guard let date = try optionalDate(name) else { throw .missingClaim(name) }
    return date
  }

  /// A date, when it is there.
  func optionalDate(_ name: String) throws(TokenRefusal) -> Timestamp? {
    guard let value = all[name] else { return nil }
    guard let date = NumericDate.moment(value) else {
      throw .malformedClaim(name, "is not a number of seconds between the years 1970 and 9999")
    }
    return date
  }

  /// `aud`: one string or an array of them; never empty.
  func audiences() throws(TokenRefusal) -> [String] {
    guard let value = all["aud"] else { throw .missingClaim("aud") }
    let audiences = value.string.map { [$0] } ?? value.strings ?? []
    guard !audiences.isEmpty else { throw .malformedClaim("aud", "is neither a string nor an array of strings") }
    return audiences
  }

  /// `sub`, at most 255 bytes (OpenID Connect Core 2).
  func subject() throws(TokenRefusal) -> String {
    let subject = try text("sub")
    guard subject.utf8.count <= 255 else { throw .malformedClaim("sub", "is longer than 255 bytes") }
    return subject
  }

  /// `iss`, which must be that issuer, byte for byte (OpenID Connect Core 3.1.3.7 2, RFC 9068 4).
  func checkIssuer(_ issuer: String) throws(TokenRefusal) {
    let own = try text("iss")
    guard own.isExactly(issuer) else {
      throw TokenRefusal(
        .issuer, "the token was issued by '\(OutsideText.clean(own))', not by '\(OutsideText.clean(issuer))'",
        hint: "the two must be the same to the last character, a slash at the end included")
    }
  }
}

extension TokenRefusal {
  static func missingClaim(_ name: String) -> TokenRefusal {
    TokenRefusal(.missingClaim, "the token has no '\(name)'")
  }

  static func malformedClaim(_ name: String, _ what: String) -> TokenRefusal {
    TokenRefusal(.malformedClaim, "the token's '\(name)' \(what)")
  }
}
