import BackendKeys
import BackendStore
import Basics
import HTTPTestSupport
import Testing
import Vault

extension SettingsTests {
  static let keys: [Row] = [
    Row("SIGNING_ALGORITHM: RS256") { (fixture, _) throws in
      #expect(try decoded(fixture.signIn().access).header["alg"]?.string == "RS256")
    },
    Row("KEY_ROTATION_SECONDS: 86400", "JWKS_MAX_AGE_SECONDS: 100") { (fixture, _) throws in
      let answer = try fixture.send("GET", "/.well-known/jwks.json")
      #expect(answer.first("Cache-Control") == "public, max-age=100")
      func published() throws -> Int {
        try fixture.send("GET", "/.well-known/jwks.json").json()["keys"]?.items?.count ?? 0
      }
      let first = try decoded(fixture.signIn().access).header["kid"]
      // A new key is there as long before its time as others may keep the set, and a margin of five minutes.
      try fixture.advance(by: 86_400 - 401)
      #expect(try published() == 1)
      try fixture.advance(by: 1)
      #expect(try published() == 2)
      try fixture.advance(by: 399)
      #expect(try decoded(fixture.signIn().access).header["kid"] == first)
      try fixture.advance(by: 1)
      #expect(try decoded(fixture.signIn().access).header["kid"] != first)
    },
    Row("PEPPER_ROTATION_SECONDS: 86400", "PEPPER_KEEP_SECONDS: 90000", "FAMILY_SECONDS: 3600") {
      fixture, configuration in
      let clock = fixture.clock, sealer = Sealer(.keyFile(fixture.unlock))
      let peppers = try Peppers(store: fixture.store, sealer: sealer, settings: configuration.peppers) { clock.now }
      func numbers(after seconds: Int64) throws -> [Int64] {
        clock.advance(by: seconds)
        try peppers.tick()
        return try peppers.list().map { $0.number }
      }
      let first = try numbers(after: 0)
      try #require(first.count == 1)
      #expect(try numbers(after: 86_400 - 301) == first)
      let both = try numbers(after: 1)
      #expect(both.count == 2 && both.first == first[0])
      // The first has had its time 300 seconds later, and is kept for so long after that.
      #expect(try numbers(after: 86_000).contains(first[0]))
      #expect(try numbers(after: 4_299).contains(first[0]))
      #expect(try !numbers(after: 1).contains(first[0]))
    },
  ]
}
