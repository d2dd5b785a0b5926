/// A request to `/authorize`; by default one that is right.
struct Asked {
  /// RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  static let state = "st/a te+&=é"

  var items: [(String, String)]
  var path = "/authorize"

  init(_ client: String = "app", redirect: String? = nil, scope: String = "openid profile offline_access") {
    items = [
      ("response_type", "code"), ("client_id", client),
      ("redirect_uri", redirect ?? Registry.redirects[client]?[0] ?? "https://app.example/cb"), ("scope", scope),
      ("state", Asked.state), ("nonce", "n-1"), ("code_challenge", Asked.challenge),
      ("code_challenge_method", "S256"),
    ]
  }

  /// The same with a parameter set, or left out by nil.
  func with(_ name: String, _ value: String?) -> Asked {
    var copy = self
    if let index = copy.items.firstIndex(where: { $0.0 == name }) {
      if let value { copy.items[index].1 = value } else { copy.items.remove(at: index) }
    } else if let value {
      copy.items.append((name, value))
    }
    return copy
  }

  /// The same with one more parameter, which may be there already.
  func adding(_ name: String, _ value: String) -> Asked {
    var copy = self
    copy.items.append((name, value))
    return copy
  }

  subscript(name: String) -> String { items.first { $0.0 == name }?.1 ?? "" }

  var target: String { path + "?" + formText(items) }
}
