/// How the gateway is configured: what Sync Gateway takes from its database configuration, by the names of its options
/// where they have one.
public struct GatewayOptions: Sendable, Equatable {
  /// The `SameSite` attribute of the session cookie.
  public enum SameSite: String, Sendable, CaseIterable {
    /// `SameSite=Lax`.
    case lax = "Lax"
    /// `SameSite=Strict`.
    case strict = "Strict"
    /// `SameSite=None`.
    case none = "None"
  }

  /// The body of a successful login.
  public enum SessionBody: String, Sendable, CaseIterable {
    /// That of the public port: `userCtx`; the session id stands in `Set-Cookie` only.
    case gateway
    /// `{session_id, expires, cookie_name}`, as backends answer that pass on the body of the admin port; no cookie.
    case triple
  }

  /// How `expires` of the triple is written.
  public enum ExpiresFormat: String, Sendable, CaseIterable {
    /// `2026-09-04T18:00:00Z`, as today's gateways write it.
    case seconds
    /// `2026-09-04T18:00:00.000Z`.
    case milliseconds
    /// `2026-09-04T20:00:00.000000000+02:00`, as old gateways wrote it: nanoseconds and a local offset.
    case offset
  }

  /// What the public port answers for a database that it does not have.
  public enum UnknownDatabase: String, Sendable, CaseIterable {
    /// 401, as today's gateways do.
    case unauthorized
    /// 404, as old ones and some proxies do.
    case notFound = "not-found"
  }

  /// Whether the database can be used.
  public enum DatabaseState: String, Sendable, CaseIterable {
    /// It can.
    case online
    /// An administrator took it offline: 503 "DB is currently under maintenance".
    case offline
    /// The gateway has just started: 503 "DB is Starting - try again later".
    case starting
  }

  /// The name of the one database.
  public var database = "mfs"
  /// Whether the database can be used.
  public var databaseState = DatabaseState.online
  /// Whether requests without credentials are served as the guest user.
  public var guest = false
  /// Whether name and password are accepted at all (the contrary of `disable_password_auth`).
  public var passwordAuth = true
  /// Whether a 401 may carry `WWW-Authenticate` (`send_www_authenticate_header`).
  public var wwwAuthenticate = true
  /// What an unknown database is answered with.
  public var unknownDatabase = UnknownDatabase.unauthorized
  /// The origins that browsers may log in from (`cors.login_origin`); `*` is any.
  public var loginOrigins: [String] = []
  /// The origins, beside the gateway's own, whose pages may replicate (`cors.origin`); `*` is any.
  public var origins: [String] = []
  /// How many replications may be open at a time (`max_concurrent_replications`); 0 is no limit.
  public var replicationLimit = 0
  /// The versions of the subprotocol `BLIP_3+CBMobile_N`, the preferred one first.
  public var subprotocols = [4, 3, 2]
  /// The `Server` field.
  public var server = "Couchbase Sync Gateway"
  /// The name of the session cookie (`session_cookie_name`).
  public var cookieName = "SyncGatewaySession"
  /// Whether the cookie is `HttpOnly` (`session_cookie_http_only`).
  public var cookieHTTPOnly = false
  /// Whether the cookie is `Secure` (`session_cookie_secure`).
  public var cookieSecure = false
  /// The cookie's `SameSite`; nil leaves it out.
  public var cookieSameSite: SameSite?
  /// How many seconds a session lives, and again after each extension.
  public var sessionTTL: Int64 = 86_400
  /// The body of a successful login.
  public var sessionBody = SessionBody.gateway
  /// How the triple writes its expiry.
  public var expiresFormat = ExpiresFormat.seconds
  /// The users whose account is disabled.
  public var disabledUsers: Set<String> = []
  /// `employeeId` of users by their names: what their profile, the document `users:NAME`, says.
  public var profiles: [String: String] = [:]
  /// How it works with the lab's identity provider; without one this says nothing.
  public var openID = OpenIDOptions()

  /// The defaults: database `mfs`, no guest, sessions of a day.
  public init() {}
}
