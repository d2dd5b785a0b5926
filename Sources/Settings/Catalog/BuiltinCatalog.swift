// Made by scripts/embed-catalog from env/catalog.yaml; changes here are lost.
// swift-format-ignore-file

/// The text of env/catalog.yaml. It is part of the program because a resource bundle would need Foundation.
enum BuiltinCatalog {
  static let text: StaticString = #"""
# Every setting of the MFS app, and the keys that its vault keeps.
# docs/SETTINGS.md and env/.env.example are made from this file: mfsctl env docs --write; mfsctl env example --write.
version: 1

groups:
  - {id: auth, title: Sign-in}
  - {id: replication, title: Replication schema}
  - {id: keychain, title: Keychain and local database}
  - {id: profile, title: Profile}
  - {id: debug, title: Debug}
  - {id: map, title: Map}
  - {id: tracking, title: Tracking}

settings:
  - name: EXPO_PUBLIC_AUTH_STRATEGY
    group: auth
    type: enum
    values: [basic, oidc_implicit, oidc_code, demo]
    default: basic
    summary: How people sign in; chosen when the app is built, not while it runs.
    details: |
      `basic` exchanges a name and a password for a gateway session. `oidc_implicit` exchanges an ID token that the
      app obtained. `oidc_code` signs in through the browser with an authorization code. `demo` takes any identifier
      and needs no server.
    example: demo
    discouraged:
      - value: oidc_implicit
        reason: the implicit grant returns tokens in a URL, where they leak and can be replayed, and gives no refresh token; RFC 9700, 2.1.2, says not to use it

  - name: EXPO_PUBLIC_SG_URL
    group: auth
    type: url
    schemes: [wss, https, ws, http]
    components: [scheme, host, port]
    required-when: {EXPO_PUBLIC_AUTH_STRATEGY: [basic, oidc_implicit, oidc_code]}
    summary: Where Sync Gateway is; scheme, host and port only.
    details: |
      The app appends the database and the path, so there is none here, not even a final `/`. `ws` and `http` carry the
      session in the clear: they are accepted for this machine and the Android emulator's 10.0.2.2, and warned about
      on a private network except in production, where they are an error like everywhere else.
    example: wss://sync.example.com:4984

  - name: EXPO_PUBLIC_SG_DB
    group: auth
    type: database
    default: mfs
    summary: The gateway's database.
    details: |
      It becomes part of a path, as in `POST /mfs/_session`. Names begin with a lower-case letter and go on with lower-case
      letters, digits and `_` `$` `(` `)` `+` `-`. Couchbase allows `/` as well; here it would end the name.

  - name: EXPO_PUBLIC_OIDC_ISSUER
    group: auth
    type: url
    schemes: [https]
    components: [scheme, host, port, path]
    required-when: {EXPO_PUBLIC_AUTH_STRATEGY: [oidc_implicit, oidc_code]}
    summary: The identity provider's issuer, exactly as it stands in its tokens.
    details: |
      The provider's metadata is found below it, at `/.well-known/openid-configuration`. An issuer has no query and no
      fragment (OpenID Connect Discovery 1.0, section 3).
    example: https://login.example.com

  - name: EXPO_PUBLIC_OIDC_CLIENT_ID
    group: auth
    type: pattern
    pattern: '[!-~]+'
    required-when: {EXPO_PUBLIC_AUTH_STRATEGY: [oidc_implicit, oidc_code]}
    summary: The app's client id at the identity provider; public, and without a client secret.
    details: |
      A mobile app is a public client: whatever is in it can be read. A client secret must not be put here or anywhere
      else in the app.
    example: mfs-mobile

  - name: EXPO_PUBLIC_OIDC_SCOPES
    group: auth
    type: scopes
    contains: [openid]
    default: openid email profile
    summary: The scopes to ask for, separated by single blanks.
    details: |
      `openid` makes it OpenID Connect, so it must be among them. Add `offline_access` where the provider gives a refresh
      token only for that.

  - name: EXPO_PUBLIC_AUTH_BEARER_ON_REPL
    group: auth
    type: bool
    default: false
    summary: Whether the replicator sends the ID token itself instead of a session cookie.
    details: |
      Leave it off unless a proxy in front of the gateway demands `Authorization: Bearer`.
    discouraged:
      - value: true
        reason: the ID token then goes out with every replicator request; a session is smaller and ends sooner

  - name: EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC
    group: auth
    type: duration
    unit: seconds
    min: 0
    max: 86400
    default: 300
    summary: How long before a session or an ID token expires it is refreshed.
    details: |
      This only schedules the refresh. Whether a stored session is still good enough to open the app with is decided by a
      fixed margin of 30 s: it is restored when it lasts longer than now + 30 s, whatever stands here.

  - name: EXPO_PUBLIC_REPLICATION_COLLECTIONS
    group: replication
    type: list
    pattern: '([A-Za-z0-9][A-Za-z0-9_%-]*|_default)\.([A-Za-z0-9][A-Za-z0-9_%-]*|_default)'
    min: 1
    max: 100
    summary: The collections to replicate, as scope.collection, separated by commas.
    details: |
      The allow-list that every replicator is built with, before and after a refresh. Without it the app uses its own.

      The app's documents speak of this list but give its key no name; the name is this toolkit's.
    example: field.workorders,field.users

  - name: EXPO_PUBLIC_DB_ENCRYPTION
    group: keychain
    type: bool
    default: false
    summary: Whether the local database is encrypted; a lab toggle.
    details: |
      When it is on, the database's password stands in the vault as `mfs.dbkey.<database>`. The app can read it there; it
      is not a key that the hardware keeps to itself.

      The app's documents speak of this toggle but give its key no name; the name is this toolkit's.

rules:
  - id: bearer-needs-oidc
    when: {EXPO_PUBLIC_AUTH_BEARER_ON_REPL: [true]}
    require: {EXPO_PUBLIC_AUTH_STRATEGY: [oidc_implicit, oidc_code]}
    severity: error
    message: A bearer token on the replicator needs a strategy that has one, oidc_implicit or oidc_code.

enclave:
  - {name: auth.strategy, type: string, writer: sign-in, removed-by: logout, summary: The strategy that signed in.}
  - {name: auth.signInId, type: string, writer: sign-in, removed-by: logout, summary: 'A random name for this sign-in, so that a late refresh of an earlier one is dropped.'}
  - {name: auth.binding, type: string, writer: sign-in, removed-by: logout, summary: 'What the credentials belong to: strategy, issuer, client id, gateway origin and database.'}
  - {name: auth.identifier, type: string, writer: sign-in, removed-by: logout, summary: The user name or email that signed in.}
  - {name: auth.password, type: secret, writer: sign-in with basic, removed-by: logout, summary: The password; used only to obtain a session and cleared when the gateway rejects it.}
  - {name: auth.sessionId, type: secret, writer: 'sign-in, refresh', removed-by: logout, summary: The gateway session.}
  - {name: auth.sessionExpiresAt, type: timestamp, writer: 'sign-in, refresh', removed-by: logout, summary: When the gateway session ends.}
  - {name: auth.cookieName, type: string, writer: 'sign-in, refresh', removed-by: logout, summary: 'The name of the session cookie, usually SyncGatewaySession.'}
  - {name: auth.idToken, type: secret, writer: 'sign-in, refresh with OIDC', removed-by: logout, summary: The provider's ID token.}
  - {name: auth.idTokenExpiresAt, type: timestamp, writer: 'sign-in, refresh with OIDC', removed-by: logout, summary: When the ID token ends.}
  - {name: auth.refreshToken, type: secret, writer: 'sign-in, refresh with OIDC', removed-by: logout, summary: 'The provider''s refresh token; replaced before the one it follows is used again.'}
  - {name: auth.employeeId, type: string, writer: sign-in, removed-by: logout, summary: 'The employee that the user is, once it is known.'}
  - {name: auth.plugin.<strategy>.<name>, type: bytes, writer: the strategy, removed-by: logout, summary: What a strategy keeps for itself.}
  - {name: mfs.deviceId, type: string, writer: the first sign-in, removed-by: wipe, summary: A random name for this device build.}
  - {name: mfs.dbkey.<database>, type: secret, writer: vault dbkey, removed-by: wipe, summary: A local database's encryption password.}

include: []

"""#
}
