internal import Basics
internal import StrategyKit

// What a gateway's request must be. The host checks the same, but takes what it refuses for a mistake of the plugin's.
extension GatewayRequest {
  // Bytes of a URL, and of a parameter's name; and how many parameters there may be.
  private static let longest = 8_192, longestName = 256, most = 256

  static func check(
    _ address: URLQuery, _ gateway: Gateway, _ client: Client, _ provider: Provider
  ) throws(StrategyError) {
    let page = provider.authorizationEndpoint.prefix { $0 != "?" }
    guard address.page.utf8.elementsEqual(page.utf8) else {
      throw StrategyError(
        .refused,
        "The gateway leads to \(OutsideText.clean(address.page, limit: 200)), which is not the page of the identity "
          + "provider that EXPO_PUBLIC_OIDC_ISSUER names.")
    }
    try checkNames(address)
    guard let named = address.single("client_id"), named.utf8.elementsEqual(client.id.utf8) else {
      throw StrategyError(
        .refused, "The gateway's client at the identity provider is not the one that EXPO_PUBLIC_OIDC_CLIENT_ID names.")
    }
    guard address.single("response_type") == "code" else {
      throw StrategyError(.refused, "The gateway does not ask the identity provider for a code.")
    }
    let redirect = address.single("redirect_uri") ?? ""
    guard isHere(redirect), !redirect.hasPrefix(gateway.origin + "/") else {
      // What to do comes first: of a long message the end is cut off.
      throw StrategyError(
        .refused,
        "The gateway's callback_url must be http://127.0.0.1:PORT/PATH, registered at the identity provider; it has the "
          + "sign-in come back to '\(OutsideText.clean(redirect, limit: 60))'.")
    }
  }

  // A request object (RFC 9101, OpenID Connect Core 6) takes the place of the parameters that are checked here, and another
  // response mode takes the code elsewhere. Of two of one name nobody knows which counts (RFC 6749 3.1).
  private static func checkNames(_ address: URLQuery) throws(StrategyError) {
    var seen: Set<String> = []
    for item in address.items {
      let name = OutsideText.clean(item.name, limit: 40)
      guard seen.insert(item.name).inserted else {
        throw StrategyError(
          .refused, "The gateway sends the parameter '\(name)' to the identity provider twice: nobody is sent there.")
      }
      let isObject = item.name == "request" || item.name == "request_uri"
      guard !isObject, item.name != "response_mode" || item.value == "query" else {
        throw StrategyError(
          .refused,
          "The gateway sends the parameter '\(name)' to the identity provider, by which the sign-in could be another one "
            + "than is checked here: nobody is sent there.")
      }
    }
  }

  /// Checks that the page with these parameters is one that a browser is sent to.
  static func checkLength(
    _ page: String, _ parameters: [(name: String, value: String)]
  ) throws(StrategyError) {
    // A second sign-in may have to be asked for: `&prompt=login`.
    var length = page.utf8.count + 32
    for parameter in parameters {
      length += 2 + encodedLength(parameter.name) + encodedLength(parameter.value)
    }
    let areNamed = parameters.allSatisfy { (1...longestName).contains($0.name.utf8.count) }
    guard areNamed, parameters.count <= most, length <= longest else {
      throw StrategyError(
        .refused,
        "The gateway's address of the identity provider's page is too long, or has parameters that cannot be sent. Its "
          + "callback_url must be http://127.0.0.1:PORT/PATH.")
    }
  }

  // An address of this machine's at which the host listens: plain HTTP, a port, no user, printable ASCII.
  private static func isHere(_ redirect: String) -> Bool {
    guard redirect.utf8.count <= longest,
      redirect.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 && $0 != 0x5C }),
      let start = ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"].first(where: { redirect.hasPrefix($0) })
    else { return false }
    let rest = redirect.utf8.dropFirst(start.utf8.count)
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard (1...5).contains(digits.count), let port = UInt16(Substring(digits)), port > 0 else { return false }
    let next = rest.dropFirst(digits.count).first
    return next == nil || next == 0x2F || next == 0x3F
  }

  // As it stands in a query (`application/x-www-form-urlencoded`).
  private static func encodedLength(_ text: String) -> Int {
    var length = 0
    for byte in text.utf8 {
      switch byte {
      case 0x20, 0x2A, 0x2D, 0x2E, 0x5F, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: length += 1
      default: length += 3
      }
    }
    return length
  }
}
