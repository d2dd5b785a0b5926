// Made by `make generate` from env/backend-catalog.yaml; changes here are lost.
// swift-format-ignore-file

internal import Settings

/// env/backend-catalog.yaml as values.
enum BackendCatalog {
  static var groups: [Catalog.Group] {
    [
      Catalog.Group(id: "place", title: "Where it is"),
      Catalog.Group(id: "keys", title: "Keys"),
      Catalog.Group(id: "providers", title: "Sign-in by Apple and Google"),
      Catalog.Group(id: "phones", title: "Attestation of phones"),
      Catalog.Group(id: "lifetimes", title: "Lifetimes"),
      Catalog.Group(id: "limits", title: "Limits"),
      Catalog.Group(id: "watching", title: "Metrics and alerts"),
      Catalog.Group(id: "running", title: "Running"),
    ]
  }

  static var settings: [Setting] {
    [
      Setting(name: "MFS_AUTHD_ISSUER", group: "place", type: .url(URLRule(schemes: ["https", "http"], components: [.scheme, .host, .port, .path])), required: true, summary: "The issuer, exactly as it stands in tokens and metadata; without a slash at its end.", details: "Everything is below it: with a path, so is every address but `/healthz`, `/readyz` and the metadata of RFC 8414. `http` is for\na trial on this machine.\n", example: "https://auth.example.com"),
      Setting(name: "MFS_AUTHD_LISTEN_ADDRESS", group: "place", type: .pattern("[0-9A-Fa-f.:]+"), defaultValue: "127.0.0.1", summary: "The numeric address to listen on.", details: "On another address than this machine's own there must be TLS here (`MFS_AUTHD_TLS_CERTIFICATE`) or proxies that are listed\n(`MFS_AUTHD_TRUSTED_PROXIES`): a request in the clear from anybody else is then refused.\n"),
      Setting(name: "MFS_AUTHD_LISTEN_PORT", group: "place", type: .integer(ValueLimits(minimum: 0, maximum: 65535)), defaultValue: "8480", summary: "The port to listen on; 0 is any free one, which the ready line names."),
      Setting(name: "MFS_AUTHD_TLS_CERTIFICATE", group: "place", type: .string(ValueLimits(maximum: 4096)), summary: "The certificate for TLS, a PEM file with the server's own certificate first.", details: "It is read at the start: after a renewal, restart the service. With it the server speaks TLS 1.2 and 1.3 and nothing else.\n", example: "/etc/mfs-authd/tls/fullchain.pem"),
      Setting(name: "MFS_AUTHD_TLS_KEY", group: "place", type: .string(ValueLimits(maximum: 4096)), summary: "The key of the certificate, a PEM file of mode 0600.", example: "/etc/mfs-authd/tls/key.pem"),
      Setting(name: "MFS_AUTHD_TRUSTED_PROXIES", group: "place", type: .list(itemPattern: "[0-9A-Fa-f.:]+", ValueLimits(maximum: 64)), summary: "Numeric addresses of the proxies in front, whose `X-Forwarded-For` is believed.", details: "Limits count by the client's address. Behind a proxy that is not listed, all clients have the proxy's.\n", example: "127.0.0.1,::1"),
      Setting(name: "MFS_AUTHD_DATABASE", group: "place", type: .string(ValueLimits(maximum: 4096)), required: true, summary: "The database file, in a folder of the service's own on a local disk.", example: "/var/lib/mfs-authd/auth.db"),
      Setting(name: "MFS_AUTHD_KEY_FILE", group: "keys", type: .string(ValueLimits(maximum: 4096)), summary: "The file of 32 bytes, mode 0600, that opens the server's keys in the database.", details: "Without it the systemd credential `mfs-authd.key` is used. Keep a copy of it elsewhere than the database's backups: whoever\nhas both can sign tokens, and without it the database's keys are lost.\n", example: "/var/lib/mfs-authd/auth.key"),
      Setting(name: "MFS_AUTHD_SIGNING_ALGORITHM", group: "keys", type: .enumeration(["EdDSA", "RS256"]), defaultValue: "EdDSA", summary: "What new signing keys are for.", details: "`RS256` is for resource servers that do not verify Ed25519; a signature costs about 13 times as much. A change makes the next\nkey one of that kind: published first, used later.\n"),
      Setting(name: "MFS_AUTHD_KEY_ROTATION_SECONDS", group: "keys", type: .duration(.seconds, ValueLimits(minimum: 86400, maximum: 31536000)), defaultValue: "7776000", summary: "For how long a signing key signs; 90 days."),
      Setting(name: "MFS_AUTHD_JWKS_MAX_AGE_SECONDS", group: "keys", type: .duration(.seconds, ValueLimits(minimum: 0, maximum: 86400)), defaultValue: "3600", summary: "For how long others may keep the set of keys; a new key is published so long, and a margin, before it signs."),
      Setting(name: "MFS_AUTHD_PEPPER_ROTATION_SECONDS", group: "keys", type: .duration(.seconds, ValueLimits(minimum: 86400, maximum: 31536000)), defaultValue: "7776000", summary: "For how long new refresh tokens, codes and cookies are hashed with one pepper; 90 days."),
      Setting(name: "MFS_AUTHD_PEPPER_KEEP_SECONDS", group: "keys", type: .duration(.seconds, ValueLimits(minimum: 86400, maximum: 94608000)), defaultValue: "31622400", summary: "For how long a pepper is kept after that; 366 days.", details: "Not shorter than the longest life of a sign-in: what was hashed with a pepper that is gone is no token any more.\n"),
      Setting(name: "MFS_AUTHD_IDENTITY_PROVIDERS", group: "providers", type: .list(itemPattern: "apple|google", ValueLimits()), defaultValue: "apple,google", summary: "Whose ID tokens apps may exchange for a sign-in.", details: "A client takes part by its properties `apple-client-ids` and `google-client-ids`; without them nothing is asked of a provider.\n"),
      Setting(name: "MFS_AUTHD_APPLE_ISSUERS", group: "providers", type: .list(itemPattern: "[A-Za-z0-9._:/~%\\[\\]-]+", ValueLimits(maximum: 8)), defaultValue: "https://appleid.apple.com", summary: "What `iss` of Apple's ID tokens may be.", details: "Another than Apple's own is for a trial with a provider that stands in its place.\n"),
      Setting(name: "MFS_AUTHD_APPLE_KEYS_URL", group: "providers", type: .url(URLRule(schemes: ["https", "http"], components: [.scheme, .host, .port, .path, .query])), defaultValue: "https://appleid.apple.com/auth/keys", summary: "Where the keys are that Apple's ID tokens are verified with (a JWK set).", details: "A mirror of one's own, for a network that does not let the server out, must be as safe as the provider's address: whoever decides what\nit answers can sign in as anybody who has an account there. `http` is for a trial on this machine, with the host in\n`MFS_AUTHD_PRIVATE_HOSTS`.\n"),
      Setting(name: "MFS_AUTHD_GOOGLE_ISSUERS", group: "providers", type: .list(itemPattern: "[A-Za-z0-9._:/~%\\[\\]-]+", ValueLimits(maximum: 8)), defaultValue: "https://accounts.google.com,accounts.google.com", summary: "What `iss` of Google's ID tokens may be.", details: "Another than Google's own is for a trial with a provider that stands in its place.\n"),
      Setting(name: "MFS_AUTHD_GOOGLE_KEYS_URL", group: "providers", type: .url(URLRule(schemes: ["https", "http"], components: [.scheme, .host, .port, .path, .query])), defaultValue: "https://www.googleapis.com/oauth2/v3/certs", summary: "Where the keys are that Google's ID tokens are verified with (a JWK set).", details: "A mirror of one's own, for a network that does not let the server out, must be as safe as the provider's address: whoever decides what\nit answers can sign in as anybody who has an account there. `http` is for a trial on this machine, with the host in\n`MFS_AUTHD_PRIVATE_HOSTS`.\n"),
      Setting(name: "MFS_AUTHD_PRIVATE_HOSTS", group: "providers", type: .list(itemPattern: "[A-Za-z0-9._:\\[\\]-]+", ValueLimits(maximum: 32)), summary: "Hosts that the server may fetch a provider's keys from although their address is of this machine or of a private network.", details: "Any other host is asked over https alone, and only at an address that is anybody's in the Internet, whatever the name service says.\n", example: "id.internal"),
      Setting(name: "MFS_AUTHD_APP_ATTEST_ROOTS", group: "phones", type: .string(ValueLimits(maximum: 4096)), summary: "A PEM file of the only roots that App Attest's certificates may lead to; without it Apple's own, which is built in.", details: "For the day on which Apple has another root, and for trials with an authority of one's own. It is read at the start. Apple's\nroot then counts only if the file has it too.\n", example: "/etc/mfs-authd/app-attest-roots.pem"),
      Setting(name: "MFS_AUTHD_PLAY_INTEGRITY_PACKAGES", group: "phones", type: .list(itemPattern: "[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+", ValueLimits(maximum: 64)), summary: "The Android apps whose integrity tokens the server opens itself, by package.", details: "For each there are two files in `MFS_AUTHD_PLAY_INTEGRITY_FOLDER`, with what the Play Console shows once it is set to manage and\ndownload response keys: `PACKAGE.decryption-key`, of mode 0600, and `PACKAGE.verification-key`. They are read at the start.\n", example: "com.example.app"),
      Setting(name: "MFS_AUTHD_PLAY_INTEGRITY_FOLDER", group: "phones", type: .string(ValueLimits(maximum: 4096)), summary: "The folder of those files.", example: "/etc/mfs-authd/play-integrity"),
      Setting(name: "MFS_AUTHD_ACCESS_TOKEN_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 60, maximum: 900)), defaultValue: "600", summary: "How long access tokens live."),
      Setting(name: "MFS_AUTHD_ID_TOKEN_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 60, maximum: 3600)), defaultValue: "600", summary: "How long ID tokens live."),
      Setting(name: "MFS_AUTHD_CODE_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 10, maximum: 600)), defaultValue: "60", summary: "How long authorization codes live."),
      Setting(name: "MFS_AUTHD_FAMILY_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 3600, maximum: 31536000)), defaultValue: "7776000", summary: "How long a sign-in lasts at most, however often its token is refreshed; 90 days."),
      Setting(name: "MFS_AUTHD_IDLE_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 600, maximum: 31536000)), defaultValue: "2592000", summary: "How long a sign-in may stay unused; 30 days."),
      Setting(name: "MFS_AUTHD_BROWSER_SESSION_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 60, maximum: 2592000)), defaultValue: "28800", summary: "How long a browser stays signed in; 8 hours."),
      Setting(name: "MFS_AUTHD_DEVICE_CODE_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 60, maximum: 3600)), defaultValue: "600", summary: "How long device codes live (RFC 8628)."),
      Setting(name: "MFS_AUTHD_DEVICE_POLL_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 1, maximum: 60)), defaultValue: "5", summary: "How many seconds must be between two polls of a device."),
      Setting(name: "MFS_AUTHD_ATTESTATION_CHALLENGE_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 10, maximum: 3600)), defaultValue: "300", summary: "How long a challenge for a device's attestation is good."),
      Setting(name: "MFS_AUTHD_LEEWAY_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 0, maximum: 300)), defaultValue: "60", summary: "How far another's clock may be from ours."),
      Setting(name: "MFS_AUTHD_KEEP_SECONDS", group: "lifetimes", type: .duration(.seconds, ValueLimits(minimum: 86400, maximum: 31536000)), defaultValue: "2592000", summary: "How long sign-ins and codes are kept after their end, so that a replay is still seen; 30 days."),
      Setting(name: "MFS_AUTHD_ROTATION_FAILURES", group: "limits", type: .integer(ValueLimits(minimum: 0, maximum: 1000)), defaultValue: "5", summary: "How many failed refreshes that name a sign-in end it; 0 is no limit."),
      Setting(name: "MFS_AUTHD_ROTATION_FAILURE_SECONDS", group: "limits", type: .duration(.seconds, ValueLimits(minimum: 1, maximum: 86400)), defaultValue: "600", summary: "The time in which those failures count."),
      Setting(name: "MFS_AUTHD_TOKENS_PER_CLIENT", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 1000000)), defaultValue: "120", summary: "Token requests of one client from one address in a minute."),
      Setting(name: "MFS_AUTHD_TOKENS_PER_DEVICE", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 1000000)), defaultValue: "30", summary: "Token requests of one device in a minute."),
      Setting(name: "MFS_AUTHD_AUTHORIZATIONS_PER_CLIENT", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 1000000)), defaultValue: "300", summary: "Requests at `/authorize` for one client from one address in a minute; a sign-in is two to four."),
      Setting(name: "MFS_AUTHD_CALLS_PER_ADDRESS", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 1000000)), defaultValue: "600", summary: "Requests from one address in a minute at each of revocation, introspection, userinfo and sign-out."),
      Setting(name: "MFS_AUTHD_PASSWORD_LENGTH", group: "limits", type: .integer(ValueLimits(minimum: 8, maximum: 128)), defaultValue: "12", summary: "The least characters of a new password."),
      Setting(name: "MFS_AUTHD_FREE_PASSWORDS", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 100)), defaultValue: "5", summary: "How many wrong passwords for one account from one place are free of delay."),
      Setting(name: "MFS_AUTHD_PASSWORD_DELAY_SECONDS", group: "limits", type: .duration(.seconds, ValueLimits(minimum: 1, maximum: 3600)), defaultValue: "2", summary: "The first delay after them; each further one is twice as long."),
      Setting(name: "MFS_AUTHD_PASSWORD_DELAY_LIMIT_SECONDS", group: "limits", type: .duration(.seconds, ValueLimits(minimum: 1, maximum: 86400)), defaultValue: "900", summary: "The longest such delay."),
      Setting(name: "MFS_AUTHD_FREE_USER_CODES", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 100)), defaultValue: "5", summary: "How many codes of devices somebody may type without delay (RFC 8628 5.1)."),
      Setting(name: "MFS_AUTHD_USER_CODE_DELAY_SECONDS", group: "limits", type: .duration(.seconds, ValueLimits(minimum: 1, maximum: 3600)), defaultValue: "5", summary: "The first delay after them; each further one is twice as long."),
      Setting(name: "MFS_AUTHD_USER_CODE_DELAY_LIMIT_SECONDS", group: "limits", type: .duration(.seconds, ValueLimits(minimum: 1, maximum: 86400)), defaultValue: "900", summary: "The longest such delay."),
      Setting(name: "MFS_AUTHD_PASSWORD_WORKERS", group: "limits", type: .integer(ValueLimits(minimum: 1, maximum: 64)), defaultValue: "1", summary: "How many passwords are checked at the same time; each takes a processor and 19 MiB."),
      Setting(name: "MFS_AUTHD_PASSWORD_QUEUE", group: "limits", type: .integer(ValueLimits(minimum: 0, maximum: 1000)), defaultValue: "16", summary: "How many sign-ins may wait for that; more are asked to try again."),
      Setting(name: "MFS_AUTHD_WORKERS", group: "limits", type: .integer(ValueLimits(minimum: 4, maximum: 512)), defaultValue: "64", summary: "How many requests are handled at the same time; most of them wait for the disk together."),
      Setting(name: "MFS_AUTHD_CONNECTIONS", group: "limits", type: .integer(ValueLimits(minimum: 16, maximum: 65536)), defaultValue: "2048", summary: "How many connections may be open."),
      Setting(name: "MFS_AUTHD_CONNECTIONS_PER_ADDRESS", group: "limits", type: .integer(ValueLimits(minimum: 0, maximum: 65536)), summary: "How many of them may come from one address; 0 is no limit. Without it 256, and no limit where proxies are listed.", details: "Whoever opens more is closed, and everybody else still gets in. Behind a proxy all connections come from its address, so the proxy must\nsee to it. An IPv6 address counts by itself here, and not as its /64.\n"),
      Setting(name: "MFS_AUTHD_METRICS_PORT", group: "watching", type: .integer(ValueLimits(minimum: 0, maximum: 65535)), summary: "The port for `GET /metrics` in the form of Prometheus; without it there are none.", details: "It is a port of its own, so that nothing that reaches the server from outside reaches the metrics.\n", example: "9480"),
      Setting(name: "MFS_AUTHD_METRICS_ADDRESS", group: "watching", type: .pattern("[0-9A-Fa-f.:]+"), defaultValue: "127.0.0.1", summary: "The numeric address for that; it speaks plain HTTP and asks nobody who they are."),
      Setting(name: "MFS_AUTHD_WEBHOOK_URL", group: "watching", type: .url(URLRule(schemes: ["https", "http"], components: [.scheme, .host, .port, .path, .query])), secret: true, summary: "Where alerts are sent, each as a POST with a JSON object.", details: "Such an address often is a secret by itself, so it is masked in output, and a configuration file that has it must not be\nreadable by everybody.\n"),
      Setting(name: "MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS", group: "watching", type: .list(itemPattern: "[A-Za-z0-9._:\\[\\]-]+", ValueLimits(maximum: 32)), summary: "Hosts of the webhook that may have an address of this machine or of a private network.", details: "Any other name is connected to only at an address that is anybody's in the Internet, whatever the name service says.\n", example: "alerts.internal"),
      Setting(name: "MFS_AUTHD_WEBHOOK_AUTHORITIES", group: "watching", type: .string(ValueLimits(maximum: 4096)), summary: "A PEM file of the only authorities to trust for the webhook; else the system's.", example: "/etc/mfs-authd/internal-ca.pem"),
      Setting(name: "MFS_AUTHD_LOG_REQUESTS", group: "watching", type: .bool, defaultValue: "true", summary: "Whether each request is a line of the log, with what was asked, the status, the time it took and the client's address."),
      Setting(name: "MFS_AUTHD_DRAIN_SECONDS", group: "running", type: .duration(.seconds, ValueLimits(minimum: 0, maximum: 300)), defaultValue: "20", summary: "For how long a server that was told to stop waits for its answers to be taken."),
    ]
  }

  static var rules: [CatalogRule] {
    []
  }

  static var enclave: [EnclaveKey] {
    []
  }
}
