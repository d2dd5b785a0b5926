import BackendStore
import BackendStoreConformance
import Basics
import Testing

@Suite struct DamagedRowTests {
  @Test(
    "JSON of another shape than the store writes is damage, and no part of it is left out in silence",
    arguments: [
      "UPDATE client SET properties = '[]'", "UPDATE client SET properties = '{\"apple-app-id\":1}'",
      "UPDATE client SET properties = 'null'", "UPDATE client SET grants = '{}'", "UPDATE client SET scopes = '[1]'",
      "UPDATE user SET claims = '[]'", "UPDATE user SET claims = '\"name\"'",
      "DROP TRIGGER audit_is_final; UPDATE audit SET fields = '{}'",
      "DROP TRIGGER audit_is_final; UPDATE audit SET fields = '[[\"user\"]]'",
      "DROP TRIGGER audit_is_final; UPDATE audit SET fields = '[[\"user\",\"u\"],[\"count\",1]]'",
    ])
  func anotherShape(sql: String) throws {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    var client = Client(id: "c", name: "", redirectURIs: [])
    client.properties = ["apple-app-id": "A1B2C3D4E5.com.example.app"]
    try store.put(client)
    var user = User(id: "u", name: "u", passwordHash: nil, createdAt: Timestamp(seconds: 0))
    user.claims = ["name": "Alice"]
    try store.add(user)
    _ = try store.audit("event", [("user", "u")], at: Timestamp(seconds: 0))
    func read() throws(Failure) {
      _ = try store.client("c")
      _ = try store.user(id: "u")
      _ = try store.auditRecords(after: 0, limit: 9)
    }
    try read()
    try place.run(sql)
    let failure = #expect(throws: Failure.self) { try read() }
    #expect(failure?.code == .storeDamaged)
  }
}
