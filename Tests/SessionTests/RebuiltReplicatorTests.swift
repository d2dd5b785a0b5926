import Basics
import Foundation
import GatewayLab
import Replication
import SecureMemory
import TestSupport
import Testing

extension ReplicatorDouble {
  /// A replicator that is built with what `replicator config --reveal` printed.
  convenience init(config text: String, clock: LabClock, database: LocalDatabase) throws {
    let document = try JSONReader.value(Array(text.utf8))
    let url = try #require(document["url"]?.string)
    let session = try #require(document["authenticator"]?["sessionId"]?.string)
    let name = try #require(document["authenticator"]?["cookieName"]?.string)
    let endpoint = try #require(
      ReplicationEndpoint(gateway: String(url.prefix(url.count - "/mfs".count)), database: "mfs"))
    var configuration = Configuration(
      endpoint, .session(SecureBox(try SecureBytes(publicText: session)), cookieName: name))
    let collections = document["collections"]?.strings ?? []
    if !collections.isEmpty { configuration.collections = collections }
    self.init(configuration, database: database) { clock.now() }
  }
}

/// A pipe with a name in a device's folder, by which the command of a watch tells the app what to build its replicator with.
private final class ConfigPipe {
  private let file: Int32

  init(_ path: String) throws {
    try #require(mkfifo(path, 0o600) == 0)
    // For writing too, so that it does not end with each command.
    file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(file >= 0)
  }
  deinit { close(file) }

  /// The next line, waited for 20 seconds; nil when none comes.
  func line() -> String? {
    var line: [UInt8] = []
    let deadline = MonotonicInstant.now().advanced(bySeconds: 20)
    while line.last != 0x0A {
      var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, deadline.millisecondsLeft) == 1 else { return nil }
      var byte: UInt8 = 0
      guard read(file, &byte, 1) == 1 else { return nil }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }
}

/// `session watch --on-credential` as it is meant: for each credential the app stops its replicator and builds another, with the
/// same collections and without a reset of the checkpoint.
@Suite struct RebuiltReplicatorTests {
  @Test func theCommandOfAWatchRebuildsTheReplicator() throws {
    let device = try DeviceBuild()
    try device.sandbox.write(
      ".env",
      try String(contentsOfFile: device.sandbox(".env"), encoding: .utf8)
        + "EXPO_PUBLIC_REPLICATION_COLLECTIONS=field.workorders,field.users\n")
    try #require(try device.login().status == 0)
    let pipe = try ConfigPipe(device.sandbox("app")), database = LocalDatabase()
    let watch = try device.background(
      "--json", "session", "watch", "--on-credential", "mfsctl replicator config --reveal >app")
    defer { watch.end() }

    let found = try #require(pipe.line(), "\(watch.text)\(watch.errorText)")
    let first = try ReplicatorDouble(config: found, clock: device.lab.clock, database: database)
    try first.start()
    #expect(first.status.level == .idle && first.since == ["field.workorders": 0, "field.users": 0])
    #expect(first.replicated("field.workorders", through: 42) && first.replicated("field.users", through: 7))

    // The gateway forgets the session and closes: the replicator is rejected, and the app says so.
    #expect(device.lab.gateway.waitForReplications(1))
    device.lab.gateway.expireSessions()
    device.lab.gateway.closeReplications(.init(rawValue: 4_001))
    try first.run(milliseconds: 10_000)
    device.lab.clock.advance(by: 2)
    try first.run()
    #expect(first.status.level == .stopped && first.status.error?.sdkCode == 10_401)
    #expect(try device.mfsctl("session", "auth-failure", "--code", "10401").status == 0)

    let renewed = try #require(pipe.line(), "\(watch.text)\(watch.errorText)")
    #expect(renewed != found, "another session")
    first.stop()
    let second = try ReplicatorDouble(config: renewed, clock: device.lab.clock, database: database)
    try second.start()
    #expect(second.status.level == .idle && second.status.error == nil)
    #expect(second.since == ["field.workorders": 42, "field.users": 7], "it goes on where the first one stopped")
    #expect(device.lab.gateway.waitForReplications(1) && device.lab.gateway.openReplications.map(\.user) == ["alice"])
    second.stop()

    watch.send(SIGTERM)
    #expect(watch.wait() == 0, "\(watch.errorText)")
    let told = watch.text + watch.errorText
    #expect(told.contains(#""event":"credential","reason":"found""#) && !told.contains("commandFailed"), "\(told)")
    for config in [found, renewed] {
      let session = try #require(try JSONReader.value(Array(config.utf8))["authenticator"]?["sessionId"]?.string)
      #expect(!told.contains(session), "the session was shown")
    }
  }
}
