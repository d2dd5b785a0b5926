import Basics
import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// The real programs, the sandboxed plugin, the sealed vault and a gateway over HTTP.
@Suite struct EndToEndTests {
  @Test func aDeviceSignsInStaysSignedInAndSignsOut() throws {
    let device = try DeviceBuild()
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText)")
    #expect(login.text.hasPrefix(#"{"state":"signedIn","strategy":"basic","identifier":"alice","employeeId":null,"#))
    #expect(device.lab.gateway.sessionCount == 1)
    let first = try device.value("auth.sessionId")
    #expect(try device.mfsctl("session", "restore").status == 0)
    #expect(device.lab.gateway.sessionCount == 1, "a restore sends nothing")
    let refresh = try device.mfsctl("--json", "session", "refresh")
    #expect(refresh.status == 0 && refresh.text.contains(#""state":"signedIn""#))
    #expect(device.lab.gateway.sessionCount == 2)
    #expect(try device.value("auth.sessionId") != first)
    let deviceId = try device.value("mfs.deviceId")
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 0 && logout.text.contains(#""server":"told""#))
    #expect(device.lab.gateway.sessionCount == 1, "the session in use was ended")
    #expect(try device.names() == ["mfs.dbkey.main", "mfs.deviceId"])
    #expect(try device.value("mfs.deviceId") == deviceId)
    #expect(try device.value("mfs.dbkey.main") == Canary.databaseKey)
    let again = try device.mfsctl("--json", "session", "logout")
    #expect(again.status == 0 && again.text.contains(#""server":"not-told""#))
  }

  static let faults: [(Fault.Kind, Int32)] = [
    (.unauthorized, 60), (.forbidden, 63), (.notFound, 63), (.redirect, 63), (.tooManyRequests, 62),
    (.internalError, 62), (.badGateway, 62), (.databaseOffline, 62), (.cutConnection, 62), (.cutAnswer, 62),
    (.wrongJSON, 62), (.garbage, 62), (.hugeBody, 62), (.noCookie, 62),
  ]

  @Test(arguments: faults) func aFaultAtSignInHasItsExitAndStoresNothing(_ kind: Fault.Kind, _ exit: Int32) throws {
    let device = try DeviceBuild()
    device.fail(kind)
    let login = try device.login()
    #expect(login.status == exit, "\(login.errorText)")
    #expect(login.text.isEmpty)
    #expect(try device.names() == ["mfs.dbkey.main"])
  }

  @Test func troubleKeepsTheSessionAndARejectionDropsItAlone() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let session = try device.value("auth.sessionId")
    device.fail(.databaseOffline)
    #expect(try device.mfsctl("session", "refresh").status == 62)
    #expect(try device.value("auth.sessionId") == session)
    let rejected = try device.mfsctl("--json", "session", "auth-failure", "--code", "10401")
    #expect(rejected.status == 62 && rejected.text.contains(#""state":"offline""#))
    let names = try device.names()
    #expect(!names.contains("auth.sessionId") && names.contains("auth.password"))
    device.mend()
    let restored = try device.mfsctl("--json", "session", "restore")
    #expect(restored.status == 0 && restored.text.contains(#""state":"signedIn""#))
  }

  @Test func anOfflineStartIsNotALogout() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 20 }
    try #require(try device.login().status == 0)
    device.lab.stop()
    let start = try device.mfsctl("--json", "session", "restore")
    #expect(start.status == 62 && start.text.contains(#""state":"offline""#) && start.text.contains("alice"))
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 50 && logout.text.contains(#""server":"unreachable""#))
    #expect(try device.names() == ["mfs.dbkey.main", "mfs.deviceId"])
  }

  @Test func aChangedPasswordNeedsASignInAndIsForgotten() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    try device.lab.gateway.changePassword(of: "alice", to: SecureBytes(publicText: "another"))
    let failure = try device.mfsctl("session", "auth-failure", "--code", "401")
    #expect(failure.status == 61 && failure.errorText.contains("Sign in to sync."))
    #expect(
      try device.names() == ["auth.binding", "auth.identifier", "auth.strategy", "mfs.dbkey.main", "mfs.deviceId"])
    #expect(try device.mfsctl("session", "status").status == 0)
  }

  @Test func settingsThatPointElsewhereSendNothing() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let other = WatchedPort(), origin = "http://127.0.0.1:\(other.port)"
    try device.settings(gateway: origin)
    for command in [["restore"], ["refresh"], ["auth-failure", "--code", "401"]] {
      let result = try run(
        [Programs.buildFolder + "/mfsctl", "session"] + command, in: device.sandbox,
        environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
      #expect(result.status == 61)
      #expect(result.errorText.contains(device.lab.origin) && result.errorText.contains(origin))
    }
    #expect(device.lab.gateway.sessionCount == 1)
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 50 && logout.text.contains(#""server":"not-told""#))
    #expect(device.lab.gateway.sessionCount == 1 && !other.wasReached)
  }

  @Test func statusNeitherWritesNorLocks() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    for arguments in [["session", "status"], ["--json", "--verbose", "session", "status"]] {
      let (result, writes) = try runWatchingWrites(
        [Programs.buildFolder + "/mfsctl"] + arguments, in: device.sandbox,
        environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
      #expect(result.status == 0 && result.text.contains("alice"), "\(result.errorText)")
      #expect(writes.isEmpty, "\(arguments)")
    }
  }

  @Test func manyProcessesRefreshOnce() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 3_600 }
    try #require(try device.login().status == 0)
    device.lab.gateway.expireSessions()
    device.fail(.slow)
    let line =
      "for i in 1 2 3 4 5; do '\(Programs.buildFolder)/mfsctl' --quiet session auth-failure --code 401 & pids+=\" $!\"; "
      + "done; for pid in $pids; do wait $pid || exit 9; done"
    let result = try run(
      ["bash", "-c", line], in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")],
      seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.split(separator: "\n").count { $0 == "Signed in as alice with basic." } == 5)
    #expect(device.lab.gateway.sessionCount == 1)
  }

  @Test func theDialogueIsTheApps() throws {
    let device = try DeviceBuild()
    // A terminal of its own, on which somebody types once asked: what is typed before a question is thrown away.
    let typist = """
      asked() { for i in $(seq 400); do grep -qs "$1" shown && break; sleep 0.05; done; sleep 0.3; }
      { asked 'username: '; echo alice; asked 'Password: '; cat password; asked 'with basic'; } |
        script -qefc "'\(Programs.buildFolder)/mfsctl' session login" shown
      """
    try device.sandbox.write("password", DeviceBuild.password + "\n")
    let result = try run(
      ["bash", "-c", typist], in: device.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key"), "TERM": "dumb"])
    let shown = result.text.replacingOccurrences(of: "\r", with: "")
    #expect(shown.contains("Sign in\nEmail or username: "), "\(shown)")
    #expect(shown.contains("\nPassword: \n"))
    #expect(shown.contains("\nmfsctl 0."))
    #expect(shown.contains("Signed in as alice with basic."))
    #expect(!shown.contains(DeviceBuild.password), "the password was shown")
  }

  @Test(arguments: [
    "login --identifier alice --password-stdin", "restore", "refresh", "auth-failure --code 401", "logout",
    "logout --wipe",
  ])
  func noSecretIsInAnyProcessesArgumentsOrEnvironment(command: String) throws {
    if geteuid() != 0 {
      notTested("the environment of a hardened process: the kernel shows it to root alone; its arguments are looked at")
    }
    // A session that ends within the restore margin is renewed by a restore.
    let device = try DeviceBuild { $0.options.sessionTTL = command == "restore" ? 20 : 3_600 }
    var canaries = Canary.all
    if !command.hasPrefix("login") {
      try #require(try device.login().status == 0)
      canaries.append(try device.value("auth.sessionId"))
    }
    var scenario = device.lab.gateway.scenario
    scenario.options.sessionTTL = 3_600
    device.lab.gateway.scenario = scenario
    device.fail(.slow)
    // Looked at while the plugin waits for the gateway: the process is there, and so is what it was started with.
    let look = """
      '\(Programs.buildFolder)/mfsctl' session \(command) <password & pid=$!
      for i in $(seq 400); do
        cat /proc/[0-9]*/status 2>/dev/null | grep -q "^PPid:[[:space:]]*$pid$" && break; sleep 0.05
      done
      tr '\\0' ' ' </proc/$pid/cmdline | grep -c -F -e ' session \(command)'
      cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c -F -f canaries
      wait $pid
      echo $?
      """
    try device.sandbox.write("password", DeviceBuild.password)
    try device.sandbox.write("canaries", canaries.joined(separator: "\n"))
    let result = try run(
      ["bash", "-c", look], in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
    #expect(result.text.hasPrefix("1\n0\n") && result.text.hasSuffix("\n0\n"), "\(result.text)\(result.errorText)")
  }
}
