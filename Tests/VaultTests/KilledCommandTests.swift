import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Every command that writes, killed at each of its calls that change something on disk (``KillPoint`` says why these
/// stand for all): the vault from before or the one from after, never neither, and what was left behind does not stand in
/// the way of the next. CrashTests kills the two that everything depends on, `set` and `logout`, at the other calls too.
@Suite struct KilledCommandTests {
  /// A command, and the values that the vault holds after it; `random` stands for one that cannot be foreseen.
  struct Change: CustomTestStringConvertible, Sendable {
    let command: [String]
    let after: [String: String]
    var testDescription: String { "vault " + command.joined(separator: " ") }

    init(_ command: String, _ after: [String: String]) {
      (self.command, self.after) = (command.split(separator: " ").map(String.init), after)
    }
  }

  static let random = "<random>"
  static let before = ["auth.sessionId": "session", "mfs.dbkey.main": "key", "mfs.deviceId": "device"]
  static let changes = [
    Change("set auth.sessionId", before.merging(["auth.sessionId": "new"]) { $1 }),
    Change("generate auth.password", before.merging(["auth.password": random]) { $1 }),
    Change("generate mfs.deviceId --replace", before.merging(["mfs.deviceId": random]) { $1 }),
    Change("delete auth.sessionId mfs.dbkey.main", ["mfs.deviceId": "device"]),
    Change("dbkey create other", before.merging(["mfs.dbkey.other": random]) { $1 }),
    Change("dbkey create main --replace --raw32", before.merging(["mfs.dbkey.main": random]) { $1 }),
    Change("dbkey delete main", ["auth.sessionId": "session", "mfs.deviceId": "device"]),
    Change("logout", ["mfs.dbkey.main": "key", "mfs.deviceId": "device"]),
    Change("logout --wipe", [:]),
  ]

  private func holds(_ values: [String: [UInt8]], _ expected: [String: String]) -> Bool {
    guard Set(values.keys) == Set(expected.keys) else { return false }
    return expected.allSatisfy { name, text in
      let value = values[name] ?? []
      let old = KilledCommandTests.before[name].map { Array($0.utf8) }
      return text == KilledCommandTests.random ? value != old && value.count >= 32 : value == Array(text.utf8)
    }
  }

  @Test(arguments: changes) func aChangeKilledAnywhereIsWholeOrNotThere(change: Change) throws {
    let vault = try TestVault()
    try vault.create()
    for (name, value) in KilledCommandTests.before { try vault.set(name, value) }
    let start = try vault.bytes()
    let command = ["mfsctl", "vault"] + change.command
    let environment = ["MFSCTL_VAULT_KEY_FILE": vault.keyFile]
    let (result, points) = try KillPoint.all(
      of: command, in: vault.sandbox, environment: environment, input: Data("new".utf8))
    try #require(result.status == 0, "\(result.errorText)")
    #expect(holds(try vault.values(), change.after))
    for call in ["flock", "write", "fsync", "rename"] {
      try #require(points.contains { $0.description.hasPrefix(call) }, "\(points)")
    }
    var (old, new) = (0, 0)
    for point in points {
      for name in try vault.names() where name != "default.lock" {
        try FileManager.default.removeItem(atPath: "\(vault.folder)/\(name)")
      }
      try vault.place(start)
      let killed = try point.kill(command, in: vault.sandbox, environment: environment, input: Data("new".utf8))
      #expect(killed.status == 137, "\(point): \(killed.errorText)")
      let values = try vault.values()
      if values == KilledCommandTests.before.mapValues({ Array($0.utf8) }) {
        old += 1
        #expect(try vault.bytes() == start, "\(point)")
      } else {
        new += 1
        #expect(holds(values, change.after), "\(point): \(values.keys.sorted())")
      }
      // The lock went with its holder, and the same command finishes.
      let again = try vault.mfsctl(["vault"] + change.command, input: "new")
      let done = change.command.contains("generate") || change.command.contains("create")
      #expect(again.status == 0 || done && again.status == 11, "\(point): \(again.errorText)")
      #expect(holds(try vault.values(), change.after), "after \(point)")
    }
    #expect(old > 0 && new > 0, "\(old) \(new)")
  }

  /// An init leaves no vault, and is run again, or a whole one. One with a passphrase writes in the same way, and would
  /// only spend a minute on Argon2id.
  @Test(arguments: ["--key-file key", "--generate --key-file made"])
  func anInitKilledAnywhereIsWholeOrNotThere(options: String) throws {
    let command = ["mfsctl", "vault", "init"] + options.split(separator: " ").map(String.init)
    let unlock = Array(command.suffix(2))
    let first = try TestVault()
    let (result, points) = try KillPoint.all(of: command, in: first.sandbox)
    try #require(result.status == 0, "\(result.errorText)")
    for call in ["mkdir", "flock", "write", "fsync", "rename", "link"] {
      try #require(points.contains { $0.description.hasPrefix(call) }, "\(points)")
    }
    var seen: Set<Bool> = []
    for point in points {
      let vault = try TestVault()
      let killed = try point.kill(command, in: vault.sandbox)
      #expect(killed.status == 137, "\(point): \(killed.errorText)")
      let made = try FileVaultStore(vault.request.locked).status().initialised
      seen.insert(made)
      if made {
        let list = try run(["mfsctl", "vault", "list", "--json"] + unlock, in: vault.sandbox)
        #expect(list.status == 0 && list.text == #"{"names":[],"generation":1}"# + "\n", "\(point): \(list.errorText)")
        #expect(try run(command, in: vault.sandbox).status == 11, "\(point)")
      } else {
        var again = try run(command, in: vault.sandbox)
        // The key file may be there before the vault is; it is whole, and the error says to use it.
        if again.status == 11, options.hasPrefix("--generate") {
          #expect(again.errorText.contains("leave --generate out to use it"), "\(point): \(again.errorText)")
          again = try run(["mfsctl", "vault", "init"] + unlock, in: vault.sandbox)
        }
        #expect(again.status == 0, "\(point): \(again.errorText)")
      }
      let set = try run(
        ["mfsctl", "vault", "set", "auth.sessionId"] + unlock, in: vault.sandbox, input: Data("new".utf8))
      #expect(set.status == 0, "\(point): \(set.errorText)")
      let get = try run(["mfsctl", "vault", "get", "auth.sessionId"] + unlock, in: vault.sandbox)
      #expect(get.text == "new", "\(point): \(get.errorText)")
      #expect(try vault.mfsctl(["vault", "status"] + unlock).status == 0, "\(point)")
    }
    #expect(seen == [true, false])
  }
}
