import BackendStore
import Basics
import TestSupport
import Testing

/// Ending everybody's sign-ins, after a backup was restored, takes neither memory nor the store for itself.
@Suite struct ManyFamiliesTests {
  private let now = Timestamp(seconds: 1_000_000_000)

  /// A store with so many families of two clients.
  private func place(_ count: Int) throws -> Place {
    let place = try Place()
    try place.reset()
    try place.run(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO family (handle, id, user, client, device, scopes, auth_time, created_at, expires_at, idle_seconds,
        used_at, generation, current_pepper, current_hash)
      SELECT randomblob(16), 'sess_0123456789abcdef' || i, 'user_0123456789abcdef' || (i % 997),
        CASE i % 4 WHEN 0 THEN 'tv' ELSE 'mobile' END, 'device_0123456789abcdef' || i, 'openid profile offline_access', 0, 0,
        1 << 40, 1 << 40, 0, 0, 1, randomblob(32) FROM n
      """)
    return place
  }

  @Test("They are ended step by step, and others write in between", arguments: [nil, "tv"])
  func inSteps(client: String?) throws {
    let place = try place(4_000), total = client == nil ? 4_000 : 1_000
    let store = try place.open(), other = try place.open()
    var seen: Set<String> = [], steps = 0
    let which = client.map { ManyFamilies.client($0) } ?? .all
    let count = try store.endAll(which, .administrator, now: now, denyUntil: now, batch: 300) {
      (ended) throws(Failure) in
      steps += 1
      seen.formUnion(ended.map(\.id))
      // What was ended so far is committed, and nobody is kept from writing.
      let left = try place.value("SELECT count(*) FROM family WHERE ended IS NULL")
      #expect(ended.count <= 300 && left == String(4_000 - seen.count))
      try other.deny("step-\(steps)", until: now.advanced(by: 900))
    }
    #expect(count == total && seen.count == total && steps == (total + 299) / 300)
    #expect(try place.value("SELECT count(*) FROM denial") == String(total + steps))
    #expect(try store.endAll(which, .administrator, now: now, denyUntil: nil) == 0)
  }

  @Test("Memory does not grow with their number")
  func memory() throws {
    func peak(_ count: Int) throws -> Int {
      let place = try place(count)
      let result = try run(["\(Programs.buildFolder)/store-probe", "end", place.path], in: place.sandbox)
      let words = result.text.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
      try #require(result.status == 0 && words.count == 2, "\(result.text)\(result.errorText)")
      #expect(words[0] == count)
      return words[1]
    }
    let few = try peak(2_000), many = try peak(60_000)
    #expect(many < few + 12 * 1_024, "\(few) KiB, \(many) KiB")
  }
}
