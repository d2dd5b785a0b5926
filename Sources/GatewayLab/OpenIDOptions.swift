/// How the gateway works with an identity provider: its `oidc` configuration, by the names of its options where they have one.
public struct OpenIDOptions: Sendable, Equatable {
  /// Whether the database has the provider at all. Without it a bearer token is ignored.
  public var isOn = true
  /// Whether a user who is not known yet is made (`register`).
  public var register = false
  /// The claim that is the user's name (`username_claim`). Nil is what the real gateway does when it is not told: the prefix,
  /// by default the issuer, and `sub`.
  public var usernameClaim: String? = "sub"
  /// What stands before the name (`user_prefix`); nil for the default.
  public var userPrefix: String?
  /// Whether the gateway cannot reach the provider, whoever else can.
  public var isUnreachable = false
  /// Where the provider sends the browser back to (`callback_url`); nil is the gateway's own `_oidc_callback`.
  public var callbackURL: String?
  /// What the gateway calls the provider: the name in its configuration, and of `provider=`.
  public var providerName = "lab"
  /// Whether `_oidc_callback` answers the access token too (`include_access`).
  public var includesAccessToken = false
  /// Whether a cookie ties `_oidc_callback` to the browser that began (the contrary of `disable_callback_state`).
  public var hasCallbackState = true
  /// Whether `_oidc_callback` and `_oidc_refresh` make a session (the contrary of `disable_session`).
  public var makesSession = true

  /// The defaults: on, for the users that there are.
  public init() {}
}
