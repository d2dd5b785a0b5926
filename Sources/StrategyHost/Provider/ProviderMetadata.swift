internal import Basics
internal import HTTPClient
internal import JOSE

/// What an identity provider says about itself (OpenID Connect Discovery 1.0 3, RFC 8414 2), checked as far as what
/// comes later relies on it.
struct ProviderMetadata: Sendable {
  /// The issuer, as the document names it.
  let issuer: String
  /// The document, as it came.
  let text: String
  /// Where the keys are.
  let keys: HTTPURL
  /// The servers of all its endpoints.
  let origins: [HTTPOrigin]
  /// The algorithms that it signs ID tokens with and that are allowed here.
  let algorithms: Set<JWSAlgorithm>

  /// The largest document in bytes.
  static let limit = 256 << 10

  // The endpoints a client may talk to or send a person to. The first two must be there.
  private static let endpoints = [
    "authorization_endpoint", "jwks_uri", "token_endpoint", "userinfo_endpoint", "revocation_endpoint",
    "introspection_endpoint", "device_authorization_endpoint", "end_session_endpoint",
    "pushed_authorization_request_endpoint",
  ]

  /// Where an issuer's document is: below the issuer, whose slash at the end does not count (Discovery 4).
  static func location(of issuer: String) -> HTTPURL? {
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    guard !base.contains("?"), !base.contains("#") else { return nil }
    return HTTPURL(base + "/.well-known/openid-configuration")
  }

  /// Checks a document. Throws a ``ProviderFault``.
  init(_ bytes: [UInt8], issuer expected: String) throws(ProviderFault) {
    let document: JSONValue
    do throws(JSONFault) {
      document = try JSONReader.value(bytes, maximumSize: ProviderMetadata.limit)
    } catch { throw ProviderFault("its metadata is no JSON document that can be used: \(error)") }
    guard case .object = document else { throw ProviderFault("its metadata is no JSON object") }
    guard let issuer = document["issuer"]?.string else { throw ProviderFault("its metadata names no issuer") }
    // Byte for byte: Swift's == takes texts for equal that Unicode calls equivalent.
    guard issuer.utf8.elementsEqual(expected.utf8) else {
      let shown = OutsideText.clean(issuer, limit: 200)
      throw ProviderFault("it calls itself '\(shown)': set the issuer to exactly that, if it is the one that is meant")
    }
    let isSecure = !expected.lowercased().hasPrefix("http:")
    var found: [String: HTTPURL] = [:]
    for name in ProviderMetadata.endpoints {
      guard let value = document[name], value != .null else { continue }
      guard let text = value.string, let url = HTTPURL(text),
        url.origin.scheme == "https" || !isSecure && url.isLoopback
      else {
        throw ProviderFault("its \(name) is not an https URL")
      }
      found[name] = url
    }
    guard found["authorization_endpoint"] != nil else { throw ProviderFault("it names no authorization_endpoint") }
    guard let keys = found["jwks_uri"] else { throw ProviderFault("it names no jwks_uri") }
    self.keys = keys
    self.issuer = issuer
    text = String(decoding: bytes, as: UTF8.self)
    origins = Array(Set(found.values.map(\.origin)))
    // What it does not say, it signs with RS256, which every provider must be able to (Discovery 3).
    let named = document["id_token_signing_alg_values_supported"]?.strings ?? ["RS256"]
    algorithms = Set(named.compactMap { JWSAlgorithm(named: $0) })
    guard !algorithms.isEmpty else {
      throw ProviderFault("it signs ID tokens with none of RS256, PS256, ES256 and EdDSA")
    }
  }
}

/// Why an identity provider cannot be used.
struct ProviderFault: Error {
  /// What is wrong, as a sentence about "it".
  let message: String
  /// Whether trying again may help: it could not be reached.
  let isPassing: Bool

  init(_ message: String, isPassing: Bool = false) {
    self.message = message
    self.isPassing = isPassing
  }
}
