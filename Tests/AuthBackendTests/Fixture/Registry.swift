import BackendStore
import BackendStoreConformance
import Basics

/// The clients and users of the tests.
enum Registry {
  static let password = "correct horse battery staple"
  /// Argon2id of ``password`` with the least memory there is, so that sign-ins cost no time.
  static let cheapHash =
    "$argon2id$v=19$m=8,t=1,p=1$lQCTwfPSZt0vfxhgEiKR4Q$qJKDNSoUoOy1yJ7gAGcPDzPNjCN1SV4gHsMHzVZPc9k"

  static let redirects: [String: [String]] = [
    "app": ["https://app.example/cb", "https://app.example/other"],
    "query": ["https://app.example/cb?t=1"],
    "scheme": ["com.example.app:/cb"],
    "loopback": ["http://127.0.0.1/cb", "http://[::1]/cb"],
    "other": ["https://other.example/cb"],
    "third": ["https://third.example/cb"],
    "bound": ["https://bound.example/cb"],
    "strict": ["https://strict.example/cb"],
    "once": ["https://once.example/cb"],
    "odd:id%2B+é": ["https://odd.example/cb"],
    "agent": ["http://localhost:8765"],
    "off": ["https://off.example/cb"],
  ]

  static func fill(_ store: SQLiteStore, at time: Timestamp) throws {
    for (id, redirects) in redirects {
      var client = Client(id: id, name: "The \(id) app", redirectURIs: redirects)
      switch id {
      case "app":
        client.scopes += ["feed", "a", "b"]
        client.postLogoutRedirectURIs = [
          "https://app.example/bye", "https://app.example/bye?x=1", "https://app.example/bye?",
        ]
      case "other": client.audience = "other-api"
      case "third": client.isFirstParty = false
      case "bound":
        client.devicePolicy = .required
        client.graceSeconds = 10
      case "strict":
        client.devicePolicy = .required
        client.properties["wrong-device"] = "revoke"
      case "once": client.grants = ["authorization_code"]
      case "off": client.isEnabled = false
      default: break
      }
      try store.put(client)
    }
    for name in ["alice", "bob"] {
      var user = User(id: "user_\(name)", name: name, passwordHash: cheapHash, createdAt: time)
      user.claims = ["name": .string(name.uppercased()), "email": .string("\(name)@example.com")]
      try store.add(user)
    }
  }
}
