public import Basics

/// The protected header of a compact JWS (RFC 7515 4), strictly read. Parameters that are not understood are ignored,
/// as the RFC says, but for `crit` and `b64`, which change what a signature means and are refused.
public struct JWSHeader: Sendable {
  /// The most bytes of a header.
  static let maximumSize = 4 << 10

  /// `alg`.
  public let algorithm: JWSAlgorithm
  /// `kid`.
  public let keyID: String?
  /// `typ`.
  public let type: String?
  /// All of it.
  public let members: JSONValue

  init(_ json: [UInt8], allowing algorithms: Set<JWSAlgorithm>) throws(TokenRefusal) {
    let value = try TokenRefusal.object(json, "header", reason: .header, maximumSize: JWSHeader.maximumSize)
    func text(_ name: String) throws(TokenRefusal) -> String? {
      guard let member = value[name] else { return nil }
      guard let text = member.string else {
        throw TokenRefusal(.header, "'\(name)' in the token's header is not a string")
      }
      return text
    }
    guard let name = try text("alg") else { throw TokenRefusal(.header, "the token's header has no 'alg'") }
    guard let algorithm = JWSAlgorithm(named: name), algorithms.contains(algorithm) else {
      throw .algorithm(name, allowed: algorithms)
    }
    if value["crit"] != nil {
      throw TokenRefusal(.critical, "the token asks for extensions ('crit') that are not understood here")
    }
    if value["b64"] != nil {
      throw TokenRefusal(.unencodedPayload, "the token has the extension 'b64' of RFC 7797, which is not taken here")
    }
    self.algorithm = algorithm
    (keyID, type) = (try text("kid"), try text("typ"))
    members = value
  }

  /// Whether `typ` is that media type, with or without its `application/`, in any case (RFC 7515 4.1.9).
  func isType(_ name: String) -> Bool { shortType.map { $0.isExactly(name) } ?? false }

  /// `typ` in lower case without `application/`.
  var shortType: String? {
    guard let lower = type?.lowercased() else { return nil }
    return lower.hasPrefix("application/") ? String(lower.dropFirst("application/".count)) : lower
  }
}

extension TokenRefusal {
  /// A strict JSON object out of a token.
  static func object(
    _ json: [UInt8], _ part: String, reason: Reason, maximumSize: Int
  ) throws(TokenRefusal) -> JSONValue {
    let value: JSONValue
    do throws(JSONFault) { value = try JSONReader.value(json, maximumSize: maximumSize, maximumDepth: 16) } catch {
      throw TokenRefusal(
        error.kind == .duplicate ? .duplicate : reason, "the token's \(part) cannot be read: \(error)")
    }
    guard value.members != nil else { throw TokenRefusal(reason, "the token's \(part) is not a JSON object") }
    return value
  }

  static func algorithm(_ name: String, allowed: Set<JWSAlgorithm>) -> TokenRefusal {
    let names = JWSAlgorithm.allCases.filter { allowed.contains($0) }.map(\.rawValue).joined(separator: ", ")
    let hint =
      name.hasPrefix("HS")
      ? "a token signed with a shared secret proves nothing here; set the client up for one of \(names)"
      : "have the issuer sign with one of \(names)"
    return TokenRefusal(
      .algorithm, "the token's algorithm '\(OutsideText.clean(name, limit: 32))' is not allowed", hint: hint)
  }
}
