/// Something that the identity provider does wrong on purpose: what, at which endpoints, and how often.
public struct ProviderFault: Sendable, Equatable {
  /// What goes wrong.
  public var kind: Kind
  /// Where; empty is everywhere that the kind has a meaning.
  public var endpoints: Set<ProviderEndpoint> = []
  /// How many times it is done rightly first.
  public var after = 0
  /// How many times it goes wrong after that; nil is always.
  public var times: Int?
  /// How late a slow answer comes, in milliseconds.
  public var delayMilliseconds = 5_000
  /// What `Retry-After` says, in seconds.
  public var retryAfter = 1
  /// How many bytes a huge body has.
  public var size: Int64 = 1 << 30
  /// Where a redirect leads, and who another issuer is.
  public var location = "http://elsewhere.invalid"

  /// A fault wherever it has a meaning.
  public init(_ kind: Kind) { self.kind = kind }

  /// When a fault is looked for: each kind at one step only, so that a late answer can also hold a wrong token.
  enum Step {
    case request, metadata, authorization, idToken, keys
  }

  /// Whether it can happen at an endpoint.
  func applies(at endpoint: ProviderEndpoint) -> Bool { endpoints.isEmpty || endpoints.contains(endpoint) }
}
