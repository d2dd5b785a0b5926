public import Basics
internal import CStrategyABI
internal import StrategyWire

/// What an ID token must be, beyond being the provider's and for this client.
public struct IDTokenRequest: Sendable {
  /// How the token came.
  public enum Source: String, Sendable {
    /// From the token endpoint, for a code.
    case code
    /// Through the browser.
    case authorization
    /// From the token endpoint, for a refresh token.
    case refresh
  }

  /// The token.
  public var token: Secret
  /// The client that it must be for.
  public var clientID: String
  /// How it came.
  public var source: Source
  /// The nonce that was sent.
  public var nonce: String?
  /// The access token that came with it; its hash is checked.
  public var accessToken: Secret?
  /// The user it must be about: after a refresh the one from before.
  public var subject: String?

  /// A request.
  public init(
    _ token: Secret, clientID: String, source: Source, nonce: String? = nil, accessToken: Secret? = nil,
    subject: String? = nil
  ) {
    self.token = token
    self.clientID = clientID
    self.source = source
    self.nonce = nonce
    self.accessToken = accessToken
    self.subject = subject
  }
}

/// What a valid ID token says.
public struct IDTokenClaims: Sendable {
  /// The claims, a JSON object.
  public let claims: JSON
  /// When it ends (`exp`).
  public let expiresAt: Timestamp

  /// Claims, for tests of a strategy.
  public init(claims: JSON, expiresAt: Timestamp) {
    self.claims = claims
    self.expiresAt = expiresAt
  }
}

extension Host {
  /// The metadata of the provider whose issuer the manifest names (OpenID Connect Discovery 1.0). The host has checked
  /// that it is that issuer's.
  public func discoverProvider() throws(StrategyError) -> JSON {
    let table = unsafe try extensionTable(MFS_EXTENSION_OIDC, mfs_oidc_t.self)
    guard let answer = unsafe try call(table.pointee.discover, [:]), let text = answer.text("metadata"),
      let metadata = JSON(Array(text.utf8))
    else { throw Host.malformed }
    return metadata
  }

  /// Validates an ID token with the provider's keys (OpenID Connect Core 3.1.3.7). Throws
  /// ``StrategyError/Reason/refused`` with the reason, ``StrategyError/Reason/network`` when the keys cannot be had.
  public func validate(_ request: IDTokenRequest) throws(StrategyError) -> IDTokenClaims {
    let table = unsafe try extensionTable(MFS_EXTENSION_OIDC, mfs_oidc_t.self)
    var record: WireRecord = [
      "token": .secret(request.token.handle), "clientID": .text(request.clientID),
      "source": .text(request.source.rawValue),
    ]
    if let nonce = request.nonce { record.fields.append(.init("nonce", .text(nonce))) }
    if let token = request.accessToken { record.fields.append(.init("accessToken", .secret(token.handle))) }
    if let subject = request.subject { record.fields.append(.init("subject", .text(subject))) }
    guard let answer = unsafe try call(table.pointee.verify, record), let text = answer.text("claims"),
      let claims = JSON(Array(text.utf8)), let expiresAt = answer.instant("expiresAt")
    else { throw Host.malformed }
    return IDTokenClaims(claims: claims, expiresAt: expiresAt)
  }
}
