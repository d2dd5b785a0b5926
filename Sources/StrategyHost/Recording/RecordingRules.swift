internal import HTTPClient

/// What may stand in a recording as it is. Everything that is not named here is masked: a name that nobody thought of must
/// not let a secret through. docs/PLUGINS.md, "Recording a sign-in", is the same for people.
enum RecordingRules {
  /// Names of JSON members, of parameters, form fields and headers whose values are words of a protocol, not of a person.
  private static let plain: Set<String> = [
    "ok", "error", "error_description", "reason", "token_type", "scope", "grant_type", "response_type", "response_mode",
    "client_id", "prompt", "expires", "expires_in", "interval", "cookie_name", "code_challenge_method",
    "authentication_handlers", "iss", "aud", "azp", "exp", "iat", "nbf", "auth_time", "acr", "amr",
    "accept", "content-type", "content-length", "retry-after", "date", "server", "cache-control",
  ]

  /// Names of values that are URLs, of which the origin and plain path stay.
  private static let places: Set<String> = [
    "url", "location", "redirect_uri", "verification_uri", "issuer", "post_logout_redirect_uri",
  ]

  /// What secrets are joined with.
  private static let joints: Set<String> = ["Bearer ", "Basic ", "=", ":", ";", "; ", ",", ""]

  /// How a value of a name is treated.
  enum Treatment {
    case keep, place, mask
  }

  static func treatment(of name: String) -> Treatment {
    let name = name.lowercased()
    if plain.contains(name) { return .keep }
    return places.contains(name) ? .place : .mask
  }

  static func isJoint(_ text: String) -> Bool { joints.contains(text) }

  /// A URL without what could be a secret: no query, no fragment, and in the path only parts that are words. Nil when it is
  /// no URL.
  static func place(_ text: String) -> String? {
    guard let url = HTTPURL(text) ?? HTTPURL(String(text.prefix { $0 != "#" })) else { return nil }
    let shown = path(url.target.prefix { $0 != "?" })
    return url.origin.description + shown + (url.target.contains("?") ? "?********" : "")
  }

  /// A path with the parts masked that are no words.
  static func path(_ text: Substring) -> String {
    text.split(separator: "/", omittingEmptySubsequences: false).map { part in
      isWord(String(part)) ? String(part) : "********"
    }.joined(separator: "/")
  }

  /// Whether a text reads like a name of a protocol or of a path: 32 characters at most, and hardly a digit, so that no code
  /// and no token is one.
  static func isWord(_ text: String) -> Bool {
    let digits = text.utf8.count { (0x30...0x39).contains($0) }
    return text.utf8.count <= 32 && digits <= 3
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E, 0x21, 0x24: true
        default: false
        }
      }
  }
}
