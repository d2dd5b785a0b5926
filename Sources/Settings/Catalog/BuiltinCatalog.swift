// Made by `make generate` from env/catalog.yaml; changes here are lost.
// swift-format-ignore-file

/// env/catalog.yaml as values.
enum BuiltinCatalog {
  static var groups: [Catalog.Group] {
    [
      Catalog.Group(id: "auth", title: "Sign-in"),
      Catalog.Group(id: "replication", title: "Replication schema"),
      Catalog.Group(id: "keychain", title: "Keychain and local database"),
      Catalog.Group(id: "profile", title: "Profile"),
      Catalog.Group(id: "debug", title: "Debug"),
      Catalog.Group(id: "map", title: "Map"),
      Catalog.Group(id: "tracking", title: "Tracking"),
    ]
  }

  static var settings: [Setting] {
    [
      Setting(name: "EXPO_PUBLIC_AUTH_STRATEGY", group: "auth", type: .enumeration(["basic", "oidc_implicit", "oidc_code", "demo"]), defaultValue: "basic", summary: "How people sign in; chosen when the app is built, not while it runs.", details: "`basic` exchanges a name and a password for a gateway session. `oidc_implicit` exchanges an ID token that the\napp obtained. `oidc_code` signs in through the browser with an authorization code. `demo` takes any identifier\nand needs no server.\n", example: "demo", discouraged: [Setting.DiscouragedValue(value: "oidc_implicit", reason: "the implicit grant returns tokens in a URL, where they leak and can be replayed, and gives no refresh token; RFC 9700, 2.1.2, says not to use it")]),
      Setting(name: "EXPO_PUBLIC_SG_URL", group: "auth", type: .url(URLRule(schemes: ["wss", "https", "ws", "http"], components: [.scheme, .host, .port])), requiredWhen: SettingCondition([SettingCondition.Term(key: "EXPO_PUBLIC_AUTH_STRATEGY", values: ["basic", "oidc_implicit", "oidc_code"])]), summary: "Where Sync Gateway is; scheme, host and port only.", details: "The app appends the database and the path, so there is none here, not even a final `/`. `ws` and `http` carry the\nsession in the clear: they are accepted for this machine and the Android emulator's 10.0.2.2, and warned about\non a private network except in production, where they are an error like everywhere else.\n", example: "wss://sync.example.com:4984"),
      Setting(name: "EXPO_PUBLIC_SG_DB", group: "auth", type: .database, defaultValue: "mfs", summary: "The gateway's database.", details: "It becomes part of a path, as in `POST /mfs/_session`. Names begin with a lower-case letter and go on with lower-case\nletters, digits and `_` `$` `(` `)` `+` `-`. Couchbase allows `/` as well; here it would end the name.\n"),
      Setting(name: "EXPO_PUBLIC_SG_PROFILE_DOC", group: "auth", type: .pattern("[!-~]+"), defaultValue: "users:{user}", summary: "The document of the gateway's that is a user's profile and says whose profile the app shows.", details: "The name is this toolkit's. It is the document's id, `{user}` standing for the gateway's name of the user, behind\n`SCOPE.COLLECTION/` when it is not in the default collection, e.g. `_default.users/{user}`. Its `employeeId` counts\nwhere no ID token has one; without either the employee is not known.\n"),
      Setting(name: "EXPO_PUBLIC_OIDC_ISSUER", group: "auth", type: .url(URLRule(schemes: ["https", "http"], components: [.scheme, .host, .port, .path])), requiredWhen: SettingCondition([SettingCondition.Term(key: "EXPO_PUBLIC_AUTH_STRATEGY", values: ["oidc_implicit", "oidc_code"])]), summary: "The identity provider's issuer, exactly as it stands in its tokens.", details: "The provider's metadata is found below it, at `/.well-known/openid-configuration`. An issuer has no query and no\nfragment (OpenID Connect Discovery 1.0, section 3). `http` is for a provider on this machine, as in a test.\n", example: "https://login.example.com"),
      Setting(name: "EXPO_PUBLIC_OIDC_CLIENT_ID", group: "auth", type: .pattern("[!-~]+"), requiredWhen: SettingCondition([SettingCondition.Term(key: "EXPO_PUBLIC_AUTH_STRATEGY", values: ["oidc_implicit", "oidc_code"])]), summary: "The app's client id at the identity provider; public, and without a client secret.", details: "A mobile app is a public client: whatever is in it can be read. A client secret must not be put here or anywhere\nelse in the app.\n", example: "mfs-mobile"),
      Setting(name: "EXPO_PUBLIC_OIDC_SCOPES", group: "auth", type: .scopes(containing: ["openid"]), defaultValue: "openid email profile", summary: "The scopes to ask for, separated by single blanks.", details: "`openid` makes it OpenID Connect, so it must be among them. Add `offline_access` where the provider gives a refresh\ntoken only for that.\n"),
      Setting(name: "EXPO_PUBLIC_OIDC_EMPLOYEE_CLAIM", group: "auth", type: .pattern("[!-~]+"), defaultValue: "employeeId", summary: "The claim of the ID token that says whose profile the app shows.", details: "The name is this toolkit's. Where a token does not have it, the gateway's profile of the user is asked\n(`EXPO_PUBLIC_SG_PROFILE_DOC`).\n"),
      Setting(name: "EXPO_PUBLIC_OIDC_CODE_EXCHANGE", group: "auth", type: .enumeration(["app", "gateway"]), defaultValue: "app", summary: "Who exchanges the authorization code of `oidc_code`, the app itself or the gateway.", details: "The name is this toolkit's. `app` is the flow of RFC 8252 with PKCE. `gateway` is Sync Gateway's own (`_oidc`,\n`_oidc_callback`, `_oidc_refresh`), for a provider that gives codes to a client with a secret only:\n`EXPO_PUBLIC_OIDC_CLIENT_ID` is then the gateway's client, and the gateway's `callback_url` an address of this\nmachine's such as `http://127.0.0.1:8491/mfs/_oidc_callback`. It has no PKCE; docs/SESSION.md says what is checked.\n"),
      Setting(name: "EXPO_PUBLIC_OIDC_GATEWAY_PROVIDER", group: "auth", type: .pattern("[A-Za-z0-9._-]+"), summary: "What the gateway calls the identity provider, when it is not the gateway's default one.", details: "The name is this toolkit's. It counts where `EXPO_PUBLIC_OIDC_CODE_EXCHANGE` is `gateway`.\n", example: "corporate"),
      Setting(name: "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT", group: "auth", type: .url(URLRule(schemes: ["https", "http"], components: [.scheme, .host, .port, .path])), summary: "Where refresh tokens are revoked, when the identity provider's metadata do not say.", details: "The name is this toolkit's. A sign-out of `oidc_code` revokes the refresh token there (RFC 7009); where the provider's\nmetadata name a `revocation_endpoint`, that one counts. It must be on the server (scheme, host and port) of the issuer\nor of the token endpoint: refresh tokens go nowhere else.\n", example: "https://login.example.com/o/revoke_token/"),
      Setting(name: "EXPO_PUBLIC_AUTH_BEARER_ON_REPL", group: "auth", type: .bool, defaultValue: "false", summary: "Whether the replicator sends the ID token itself instead of a session cookie.", details: "Leave it off unless a proxy in front of the gateway demands `Authorization: Bearer`.\n", discouraged: [Setting.DiscouragedValue(value: "true", reason: "the ID token then goes out with every replicator request; a session is smaller and ends sooner")]),
      Setting(name: "EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC", group: "auth", type: .duration(.seconds, ValueLimits(minimum: 0, maximum: 86400)), defaultValue: "300", summary: "How long before a session or an ID token expires it is refreshed.", details: "This only schedules the refresh. Whether a stored session is still good enough to open the app with is decided by a\nfixed margin of 30 s: it is restored when it lasts longer than now + 30 s, whatever stands here.\n"),
      Setting(name: "EXPO_PUBLIC_REPLICATION_COLLECTIONS", group: "replication", type: .list(itemPattern: "([A-Za-z0-9][A-Za-z0-9_%-]*|_default)\\.([A-Za-z0-9][A-Za-z0-9_%-]*|_default)", ValueLimits(minimum: 1, maximum: 100)), summary: "The collections to replicate, as scope.collection, separated by commas.", details: "The allow-list that every replicator is built with, before and after a refresh. Without it the app uses its own.\n\nThe app's documents speak of this list but give its key no name; the name is this toolkit's.\n", example: "field.workorders,field.users"),
      Setting(name: "EXPO_PUBLIC_DB_ENCRYPTION", group: "keychain", type: .bool, defaultValue: "false", summary: "Whether the local database is encrypted; a lab toggle.", details: "When it is on, the database's password stands in the vault as `mfs.dbkey.<database>`. The app can read it there; it\nis not a key that the hardware keeps to itself.\n\nThe app's documents speak of this toggle but give its key no name; the name is this toolkit's.\n"),
    ]
  }

  static var rules: [CatalogRule] {
    [
      CatalogRule(id: "bearer-needs-oidc", when: SettingCondition([SettingCondition.Term(key: "EXPO_PUBLIC_AUTH_BEARER_ON_REPL", values: ["true"])]), require: SettingCondition([SettingCondition.Term(key: "EXPO_PUBLIC_AUTH_STRATEGY", values: ["oidc_implicit", "oidc_code"])]), severity: .error, message: "A bearer token on the replicator needs a strategy that has one, oidc_implicit or oidc_code."),
    ]
  }

  static var enclave: [EnclaveKey] {
    [
      EnclaveKey(name: "auth.strategy", kind: .string, writer: "sign-in", removedBy: .logout, summary: "The strategy that signed in."),
      EnclaveKey(name: "auth.signInId", kind: .string, writer: "sign-in", removedBy: .logout, summary: "A random name for this sign-in, so that a late refresh of an earlier one is dropped."),
      EnclaveKey(name: "auth.binding", kind: .string, writer: "sign-in", removedBy: .logout, summary: "What the credentials belong to: strategy, issuer, client id, gateway origin, database, and the origins that its other settings name."),
      EnclaveKey(name: "auth.identifier", kind: .string, writer: "sign-in", removedBy: .logout, summary: "The user name or email that signed in."),
      EnclaveKey(name: "auth.password", kind: .secret, writer: "sign-in, by a strategy that asks for one", removedBy: .logout, summary: "The password; used only to obtain a session and cleared when the gateway rejects it."),
      EnclaveKey(name: "auth.sessionId", kind: .secret, writer: "sign-in, refresh", removedBy: .logout, summary: "The gateway session."),
      EnclaveKey(name: "auth.sessionExpiresAt", kind: .timestamp, writer: "sign-in, refresh", removedBy: .logout, summary: "When the gateway session ends."),
      EnclaveKey(name: "auth.cookieName", kind: .string, writer: "sign-in, refresh", removedBy: .logout, summary: "The name of the session cookie, usually SyncGatewaySession."),
      EnclaveKey(name: "auth.idToken", kind: .secret, writer: "sign-in, refresh with OIDC", removedBy: .logout, summary: "The provider's ID token."),
      EnclaveKey(name: "auth.idTokenExpiresAt", kind: .timestamp, writer: "sign-in, refresh with OIDC", removedBy: .logout, summary: "When the ID token ends."),
      EnclaveKey(name: "auth.refreshToken", kind: .secret, writer: "sign-in, refresh with OIDC", removedBy: .logout, summary: "The provider's refresh token; replaced before the one it follows is used again."),
      EnclaveKey(name: "auth.employeeId", kind: .string, writer: "sign-in", removedBy: .logout, summary: "The employee that the user is, once it is known."),
      EnclaveKey(name: "auth.plugin.<strategy>.<name>", kind: .bytes, writer: "the strategy", removedBy: .logout, summary: "What a strategy keeps for itself."),
      EnclaveKey(name: "mfs.deviceId", kind: .string, writer: "the first sign-in", removedBy: .wipe, summary: "A random name for this device build."),
      EnclaveKey(name: "mfs.dbkey.<database>", kind: .secret, writer: "vault dbkey", removedBy: .wipe, summary: "A local database's encryption password."),
    ]
  }
}
