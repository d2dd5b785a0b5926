import Foundation
import TestSupport
import Testing

/// A sign-in killed at each of its calls that change something on disk (``KillPoint`` says why these stand for all).
@Suite struct KilledLoginTests {
  private static let before = ["mfs.dbkey.main"]
  private static let after = [
    "auth.binding", "auth.cookieName", "auth.identifier", "auth.password", "auth.sessionExpiresAt", "auth.sessionId",
    "auth.signInId", "auth.strategy", "mfs.dbkey.main", "mfs.deviceId",
  ]

  /// The vault opens and holds what it did, or the whole session; and the next sign-in works.
  @Test func aSignInKilledAnywhereIsWholeOrNotThere() throws {
    let device = try DeviceBuild()
    let sandbox = device.sandbox
    let file = URL(fileURLWithPath: sandbox("home/data/vault/default.mfsv"))
    let start = try Data(contentsOf: file)
    let command = [Programs.buildFolder + "/mfsctl", "session", "login", "--identifier", "alice", "--password-stdin"]
    let environment = ["MFSCTL_VAULT_KEY_FILE": sandbox("key")]
    let password = Data(DeviceBuild.password.utf8)
    let (result, points) = try KillPoint.all(of: command, in: sandbox, environment: environment, input: password)
    try #require(result.status == 0, "\(result.errorText)")
    try #require(try device.names() == KilledLoginTests.after)
    for call in ["mkdir", "flock", "fallocate", "write", "fsync", "rename"] {
      try #require(points.contains { $0.description.hasPrefix(call) }, "\(points)")
    }
    var (old, new, missed) = (0, 0, 0)
    for point in points {
      try FileManager.default.removeItem(atPath: sandbox("home/state"))
      for name in try FileManager.default.contentsOfDirectory(atPath: sandbox("home/data/vault"))
      where name.hasSuffix(".tmp") {
        try FileManager.default.removeItem(atPath: sandbox("home/data/vault/\(name)"))
      }
      try start.write(to: file)
      let killed = try point.kill(command, in: sandbox, environment: environment, input: password)
      // What is written to pipes of the plugin's process comes in pieces that differ from run to run.
      if killed.status != 137 { missed += 1 }
      let names = try device.names()
      if names == KilledLoginTests.before {
        old += 1
        #expect(try Data(contentsOf: file) == start, "\(point)")
      } else {
        new += 1
        #expect(names == KilledLoginTests.after, "\(point): \(names)")
        #expect(try device.mfsctl("session", "restore").status == 0, "\(point)")
      }
      #expect(try device.value("mfs.dbkey.main") == Canary.databaseKey, "\(point)")
      let again = try device.login()
      #expect(again.status == 0, "\(point): \(again.errorText)")
      #expect(try device.names() == KilledLoginTests.after, "\(point)")
    }
    #expect(old > 0 && new > 0 && missed * 10 <= points.count, "\(old) old, \(new) new, \(missed) missed")
  }
}
