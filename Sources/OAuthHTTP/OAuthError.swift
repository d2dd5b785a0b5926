internal import Basics
public import HTTPServer

/// An error as OAuth says it (RFC 6749 4.1.2.1 and 5.2, RFC 8628 3.5, OpenID Connect Core 3.1.2.6).
public struct OAuthError: Error {
  /// `error`.
  public var code: String
  /// `error_description`; what may not stand there (RFC 6749 5.2), such as a quotation mark, is a question mark.
  public let text: String
  /// The status of the answer.
  public var status = 400
  /// `WWW-Authenticate`; nil for none.
  public var challenge: String?
  /// `Retry-After` in seconds; nil for none.
  public var retryAfter: Int64?

  /// An error.
  public init(_ code: String, _ text: String, status: Int = 400, challenge: String? = nil) {
    self.code = code
    self.text = String(
      decoding: text.unicodeScalars.map { scalar in
        (" "..."~").contains(scalar) && scalar != "\"" && scalar != "\\"
          ? UInt8(truncatingIfNeeded: scalar.value) : 0x3F
      }, as: UTF8.self)
    self.status = status
    self.challenge = challenge
  }

  /// `invalid_request`.
  public static func invalidRequest(_ text: String) -> OAuthError { OAuthError("invalid_request", text) }
  /// `invalid_grant`.
  public static func invalidGrant(_ text: String) -> OAuthError { OAuthError("invalid_grant", text) }
  /// What a form that cannot be read is told.
  public init(_ fault: FormFields.Fault) {
    switch fault {
    case .mediaType: self = .invalidRequest("the body is no form (application/x-www-form-urlencoded)")
    case .encoding: self = .invalidRequest("the form cannot be decoded")
    case .tooMany: self = .invalidRequest("the form has too many fields")
    case .memory: self = OAuthError("server_error", "the server has no memory left", status: 500)
    }
  }

  /// The answer of an endpoint that programs talk to.
  public var response: ServerResponse {
    var headers: HeaderFields = ["Cache-Control": "no-store", "Pragma": "no-cache"]
    if let retryAfter { headers.add("Retry-After", String(max(1, retryAfter))) }
    if let challenge { headers.add("WWW-Authenticate", challenge) }
    headers.add("Content-Type", "application/json")
    let body: JSONValue = ["error": .string(code), "error_description": .string(text)]
    return ServerResponse(status: status, headers: headers, text: body.text)
  }
}
