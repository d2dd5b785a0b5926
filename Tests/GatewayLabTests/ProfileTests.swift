import GatewayLab
import Testing

/// The documents that are users' profiles: in the default collection, and in one of their own.
@Suite("Profiles of users") struct ProfileTests {
  @Test func aProfileIsItsUsersAlone() throws {
    let lab = try LabFixture { $0.options.profiles = ["alice": "E-17", "bob": "E-18"] }
    let own = [LabFixture.basic]
    #expect(
      try lab.send("GET", "/mfs/users%3Aalice", own).text
        == #"{"_id":"users:alice","_rev":"1-0","employeeId":"E-17","type":"users"}"#)
    #expect(
      try lab.send("GET", "/mfs._default.users/alice", own).text
        == #"{"_id":"alice","_rev":"1-0","employeeId":"E-17","type":"users"}"#)
    #expect(try lab.send("GET", "/mfs/users%3Abob", own).row == "403 - \(refusal("Forbidden", "forbidden"))")
    #expect(try lab.send("GET", "/mfs._default.users/bob", own).status == 403)
    #expect(try lab.send("GET", "/mfs._default.users/carol", own).status == 404)
    #expect(try lab.send("GET", "/mfs/users%3Acarol", own).status == 404)
    #expect(try lab.send("GET", "/mfs._default.others/alice", own).status == 404)
    #expect(try lab.send("GET", "/mfs._default.users/alice").status == 401)
    #expect(try lab.send("GET", "/other._default.users/alice", own).status == 401)
    for path in ["/./alice", "/../alice", "/.mfs/alice", "/mfs./alice", "/mfs/users%3A"] {
      #expect(try (400...499).contains(lab.send("GET", path, own).status), "\(path)")
    }
  }
}
