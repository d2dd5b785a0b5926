internal import Basics
internal import HTTPClient
internal import JOSE
internal import SecureMemory
internal import StrategyWire

// What a client of OpenID Connect needs: the provider's metadata, and ID tokens validated with the provider's keys.
extension HostCalls {
  func discover() throws(CallEnd) -> Reply { .ok(("metadata", .text(try provider().metadata.text))) }

  func verifyIDToken(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let clientID = request.text("clientID"), let word = request.text("source"),
      let origin = IDTokenExpectation.Origin(word), let token = try secret(request["token"])
    else { throw .status(.badArgument, "`token`, `clientID` and `source` must be there") }
    let nonce = try request.text("nonce").map { text throws(CallEnd) in
      try fatally { () throws(Failure) in SecureBox(try SecureBytes(publicText: text)) }
    }
    let expected = IDTokenExpectation(
      origin, nonce: nonce, accessToken: try secret(request["accessToken"]), code: try secret(request["code"]),
      subject: request.text("subject"))
    let provider = try provider()
    let validator = IDTokenValidator(
      issuer: provider.metadata.issuer, clientID: clientID, algorithms: provider.metadata.algorithms)
    do throws(TokenRefusal) {
      let valid = try validator.validate(token.bytes, expecting: expected, keys: provider.keys, now: services.now())
      if valid.keyID == nil {
        log.note("the ID token names no key (kid): each of the provider's keys was tried")
      }
      return .ok(("claims", .text(valid.claims.all.text)), ("expiresAt", .instant(valid.expires)))
    } catch {
      throw .status(error.reason == .keysUnavailable ? .network : .untrusted, error.description)
    }
  }

  /// The provider that the manifest names, asked once a process.
  private func provider() throws(CallEnd) -> Provider {
    guard let issuer = grants.issuer else { throw .status(.denied, "asking an identity provider") }
    let found: Provider
    do throws(ProviderFault) {
      found = try providers.provider(issuer, client: client, cancellation: cancellation)
    } catch {
      let text = "the identity provider \(OutsideText.clean(issuer, limit: 200)) cannot be used: \(error.message)"
      throw .status(error.isPassing ? .network : .untrusted, text)
    }
    grants.add(endpoints: found.metadata.origins)
    return found
  }

  /// The secret or the bytes of a field; nil when it is absent.
  private func secret(_ value: PluginValue?) throws(CallEnd) -> SecureBox? {
    switch value {
    case nil: return nil
    case .secret(let handle): return try secret(handle)
    case .bytes(let bytes):
      secrets.hide(bytes)
      return bytes
    default: throw .status(.badArgument, "a token is neither a secret nor bytes")
    }
  }
}

/// The identity providers that were asked, for all runs of one host.
final class ProviderDirectory {
  private var known: [String: Provider] = [:]

  /// A provider, from before when it was asked already. Throws a ``ProviderFault``.
  func provider(_ issuer: String, client: HTTPClient, cancellation: [Int32]) throws(ProviderFault) -> Provider {
    if let found = known[issuer] { return found }
    let provider = try Provider(issuer, client: client, cancellation: cancellation)
    known[issuer] = provider
    return provider
  }
}

extension IDTokenExpectation.Origin {
  /// The origin of a word of the ABI's.
  init?(_ word: String) {
    switch word {
    case "code": self = .code
    case "authorization": self = .authorization
    case "refresh": self = .refresh
    default: return nil
    }
  }
}
