/// A refusal, as Sync Gateway words it.
struct GatewayError: Error, Equatable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  static let invalidLogin = GatewayError(401, "Invalid login")
  static let loginRequired = GatewayError(401, "Login required")
  static let sessionInvalid = GatewayError(401, "Session Invalid")
  static let sessionNoLongerValid = GatewayError(401, "Session no longer valid for user")
  static let noCORS = GatewayError(400, "No CORS")
  static let unknownURL = GatewayError(404, "unknown URL")
  static let missing = GatewayError(404, "missing")
  static let offline = GatewayError(503, "DB is currently under maintenance")

  static let starting = GatewayError(503, "DB is Starting - try again later")

  /// The body: the error word of a status and the reason.
  var body: String { "{\"error\":\"\(word)\",\"reason\":\(quotedAsGo(reason))}" }

  private var word: String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "not_found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 409: "conflict"
    case 412: "Precondition Failed"
    case 415: "Unsupported Media Type"
    case 426: "Upgrade Required"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: String(status)
    }
  }
}

/// A JSON string as Go's `encoding/json` writes it, which also escapes what could end an HTML script.
func quotedAsGo(_ text: String) -> String {
  var out = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": out += "\\\""
    case "\\": out += "\\\\"
    case "\n": out += "\\n"
    case "\r": out += "\\r"
    case "\t": out += "\\t"
    case "\u{8}": out += "\\b"
    case "\u{C}": out += "\\f"
    case "<", ">", "&", "\u{2028}", "\u{2029}": out += escaped(scalar)
    case _ where scalar.value < 0x20: out += escaped(scalar)
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out + "\""
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  let hex = String(scalar.value, radix: 16)
  return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
}
