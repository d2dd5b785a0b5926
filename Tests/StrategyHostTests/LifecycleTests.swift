import Basics
import Foundation
import SecureMemory
import StrategyHost
import Testing

/// How a run begins and ends, whatever the plugin's process does.
struct LifecycleTests {
  let services = ScriptedServices()

  /// Runs the plugin `probe` with a child that does what the Python says.
  private func run(
    _ child: String, operation: StrategyOperation = .login, settings: [String: String]? = nil, timeout: Int = 20,
    isolation: Isolation = .require, interruption: Interruption = .never
  ) throws -> StrategyOutcome {
    let folder = try PluginFolder(child: child)
    let host = StrategyHost(locations: folder.locations, isolation: isolation, interruption: interruption)
    let call = StrategyCall(
      strategy: "probe", operation: operation, settings: settings ?? ["EXPO_PUBLIC_SG_URL": "ws://127.0.0.1:1"],
      identifier: "alice", timeout: timeout)
    return try host.run(call, services: services)
  }

  private func fault(_ child: String, timeout: Int = 20, interruption: Interruption = .never) -> Failure? {
    do {
      _ = try run(child, timeout: timeout, interruption: interruption)
      return nil
    } catch { return error as? Failure }
  }

  @Test func theRunArrivesAndTheResultComesBack() throws {
    let services = self.services
    let outcome = try #require(
      try? run(
        """
        hello()
        asked = run()
        assert asked["strategy"] == "probe" and asked["identifier"] == "alice" and asked["operation"] == 1, asked
        assert asked["settings"] == {"EXPO_PUBLIC_SG_URL": "ws://h:1/", "EXPO_PUBLIC_SG_DB": "mfs"}, asked
        # Python sets a variable by itself, so the program's own record is read.
        assert open("/proc/self/environ", "rb").read() == b""
        descriptors = sorted(map(int, os.listdir("/proc/self/fd")))
        assert descriptors[:5] == [0, 1, 2, 3, 4] and len(descriptors) == 6, descriptors
        assert os.read(4, 4) == b"\\x7fELF"
        try:
            os.write(4, b"x"); assert False
        except OSError: pass
        assert os.getpgid(0) == os.getpid()
        result(identifier="alice", session="cookie", sessionId=b"0123456789", cookieName="C", sessionExpiresAt=Instant(7))
        """,
        settings: ["EXPO_PUBLIC_SG_URL": "ws://h:1/", "EXPO_PUBLIC_SG_DB": "mfs", "OTHER": "not declared"]),
      "\(services.lines)")
    guard case .success(let fields) = outcome, case .text(let identifier)? = fields["identifier"],
      case .secret(let session)? = fields["sessionId"], case .instant(let end)? = fields["sessionExpiresAt"]
    else {
      Issue.record("\(outcome) \(services.lines)")
      return
    }
    #expect(identifier == "alice")
    let cookie = session.bytes.publicText()
    #expect(cookie == "0123456789")
    #expect(end == Timestamp(seconds: 7))
  }

  /// Another process replaces and overwrites the plugin's file between the check and the load.
  @Test func theBytesThatWereCheckedAreTheBytesThatAreLoaded() throws {
    let outcome = try? run(
      """
      import fcntl, sys
      hello()
      run()
      file = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), "libmfs-strategy-probe.so")
      checked = open(file, "rb").read()
      with open(file, "r+b") as f: f.write(b"swapped")
      os.rename(file, file + ".old"); open(file, "wb").write(b"swapped")
      assert os.pread(4, len(checked) + 1, 0) == checked
      assert fcntl.fcntl(4, 1034) & 15 == 15, "not sealed"
      for attempt in (lambda: os.write(4, b"x"), lambda: os.ftruncate(4, 0),
                      lambda: os.write(os.open("/proc/self/fd/4", os.O_RDWR), b"x")):
        try: attempt()
        except OSError: continue
        assert False, "it could be changed"
      signed_in()
      """)
    guard case .success? = outcome else {
      Issue.record("\(services.lines)")
      return
    }
  }

  @Test(arguments: ["b'\\x10'", "b'\\x10\\0\\0\\0'", "b'\\x10\\0\\0\\0\\6abc'", "b'\\0\\0\\x40\\0' + b'x' * 100000"])
  func halfAMessageAndSilenceEndInTime(bytes: String) throws {
    let start = ContinuousClock.now
    let failure = try #require(fault("hello()\nrun()\nwrite_all(\(bytes))\ntime.sleep(60)", timeout: 1))
    #expect(failure.code == .pluginFailed && failure.message.contains("not done after 1 seconds"), "\(failure)")
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func itsOwnFailureIsAnOutcome() throws {
    let outcome = try run("hello(); run(); failure(2, 'no\\nsuch user', status=401, retryAfter=9)")
    guard case .failure(let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure == StrategyFailure(.badCredentials, "no\\u{a}such user", status: 401, retryAfter: 9))
  }

  @Test(arguments: [
    ("hello(); run(); os.kill(os.getpid(), signal.SIGILL)", "killed by SIGILL: a fault in its code"),
    ("hello(); run(); os.kill(os.getpid(), signal.SIGSYS)", "killed by SIGSYS: it tried what the sandbox forbids"),
    ("hello(); run(); os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
    ("hello(); run(); os._exit(0)", "ended with status 0 before it answered"),
    ("hello(); run(); os._exit(65)", "ended with status 65"),
    ("hello(); run(); os.close(3); time.sleep(30)", "killed by SIGKILL"),
    ("log('early')", "did not begin as it should"),
    ("hello(); run(); hello()", "began twice"),
    ("hello(); run(); text_frame(9, 'it called from a thread of its own')", "thread of its own"),
    ("hello(); run(); write_all(b'\\xff\\xff\\xff\\xff')", "cannot be read"),
    ("hello(); run(); write_all(b'\\0\\0\\0\\0')", "cannot be read"),
    ("hello(); run(); send(99, b'')", "cannot be read"),
    ("hello(); run(); send(10, b'')", "cannot be read"),
    ("hello(); run(); send(6, b'\\1')", "cannot be read"),
    ("hello(); run(); send(6, record({}) + b'more')", "cannot be read"),
    ("hello(); run(); send(6, record([('a', 'x'), ('a', 'y')]))", "cannot be read"),
    ("hello(); run(); send(6, record({'a': {'b': {'c': {'d': 1}}}}))", "cannot be read"),
    ("hello(); run(); send(3, struct.pack('<IH', 1, 77) + record({}))", "cannot be read"),
    ("hello(); run(); send(3, struct.pack('<IH', 2, 5) + record({}))", "not in order"),
    ("hello(); run(); failure(99)", "for a reason that is not known"),
    ("hello(); run(); result()", "'session' must be"),
    ("hello(); run(); result(session='none')", "who signed in"),
    ("hello(); run(); result(identifier='a', session='cookie')", "must be there"),
    ("hello(); run(); result(identifier='a', session='none', sessionId=b'x')", "must not be there"),
    ("hello(); run(); result(identifier='a', session='none', extra='x')", "'extra' that is not known"),
    ("hello(); run(); result(identifier=b'a', session='none')", "wrong kind"),
    ("hello(); run(); result(identifier='', session='none')", "empty or too long"),
    ("hello(); run(); result(identifier='a', session='none', password=Secret(9))", "not there"),
    ("hello(); run(); [call('clock') for _ in range(5000)]", "more than 4096 host calls"),
  ])
  func aPluginThatFails(child: String, said: String) throws {
    let failure = try #require(fault(child.replacingOccurrences(of: "; ", with: "\n")))
    #expect(failure.code == .pluginFailed, "\(failure)")
    #expect(failure.message.hasPrefix("the plugin 'probe'"))
    #expect(failure.message.contains(said), "\(failure)")
  }

  @Test(arguments: [
    ("text_frame(8, 'no isolation here')", "no isolation here"),
    ("hello(); run(); text_frame(8, 'it speaks ABI 9')", "it speaks ABI 9"),
    ("hello(version=2)", "another version"),
    ("hello(landlock=0)", "no Landlock"),
    ("os._exit(3)", "status 3"),
  ])
  func aPluginThatIsRefused(child: String, said: String) throws {
    let failure = try #require(fault(child.replacingOccurrences(of: "; ", with: "\n")))
    #expect(failure.code == .pluginRefused, "\(failure)")
    #expect(failure.message.contains(said), "\(failure)")
  }

  @Test func withoutLandlockItRunsOnlyWhenThatIsAccepted() throws {
    let outcome = try run("hello(landlock=0)\nrun()\nsigned_in()", isolation: .prefer)
    guard case .success = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func aMissingRunnerIsNamed() throws {
    let folder = try PluginFolder()
    let host = StrategyHost(
      locations: .init(folders: [folder.folder()], runner: folder.path + "/none"), interruption: .never)
    let call = StrategyCall(strategy: "probe", operation: .login, settings: ["EXPO_PUBLIC_SG_URL": "http://h"])
    #expect(throws: Failure(.pluginRefused, "")) { try host.run(call, services: services) }
  }

  @Test func aHangingPluginIsKilledInTime() throws {
    let start = Date()
    let failure = try #require(fault("hello()\nrun()\ntime.sleep(60)", timeout: 1))
    #expect(failure.code == .pluginFailed)
    #expect(failure.message.contains("not done after 1 seconds"))
    #expect((1.0...4.0).contains(Date().timeIntervalSince(start)))
  }

  @Test func aResultInTheLastMomentIsTaken() throws {
    let outcome = try run("hello()\nrun()\nassert receive()[0] == 10\nsigned_in()", timeout: 1)
    guard case .success = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test(arguments: ["log('again')", "os.write(2, b'again' * 1000)"])
  func aPluginThatTalksWithoutEndIsKilled(what: String) throws {
    let start = Date()
    let failure = try #require(fault("hello()\nrun()\nwhile True: \(what)", timeout: 1))
    #expect(failure.code == .pluginFailed)
    #expect(failure.message.contains("not done after 1 seconds"))
    #expect(Date().timeIntervalSince(start) < 10)
  }

  @Test func aPluginThatNeverListensIsKilled() throws {
    // It asks for more than the socket holds and reads none of it.
    let child = """
      hello()
      run()
      while True:
          last += 1
          send(3, struct.pack("<IH", last, 6) + record(dict(count=4096)))
      """
    let failure = try #require(fault(child, timeout: 1))
    #expect(failure.code == .pluginFailed)
  }

  @Test func anInterruptionEndsIt() throws {
    let pipe = Pipe()
    // Freed earlier, its numbers could be those of another test's files before the run looks at them.
    defer { withExtendedLifetime(pipe) {} }
    let start = Date()
    Thread.detachNewThread {
      usleep(300_000)
      try? pipe.fileHandleForWriting.write(contentsOf: Data([1]))
    }
    let failure = try #require(
      fault(
        "hello()\nrun()\nassert receive()[0] == 10\nfailure(8)",
        interruption: .descriptor(pipe.fileHandleForReading.fileDescriptor)))
    #expect(failure.code == .cancelled)
    #expect(Date().timeIntervalSince(start) < 5)
  }

  @Test func aSignalEndsItAndDoesNotActLater() throws {
    // Sent to this thread alone, so that the other tests do not see it; what is left of it would end the process.
    let thread = UInt(pthread_self())
    Thread.detachNewThread {
      usleep(300_000)
      pthread_kill(pthread_t(thread), SIGINT)
    }
    let failure = try #require(fault("hello()\nrun()\nassert receive()[0] == 10\nfailure(8)", interruption: .signals))
    #expect(failure.code == .cancelled)
    var pending = sigset_t()
    unsafe sigpending(&pending)
    let isPending = unsafe sigismember(&pending, SIGINT)
    #expect(isPending == 0)
  }

  @Test func aSlowServerDoesNotHoldUpAnInterruption() throws {
    let gateway = try Gateway.shared.get()
    let pipe = Pipe()
    // Freed earlier, its numbers could be those of another test's files before the run looks at them.
    defer { withExtendedLifetime(pipe) {} }
    let start = Date()
    Thread.detachNewThread {
      usleep(500_000)
      try? pipe.fileHandleForWriting.write(contentsOf: Data([1]))
    }
    // Its failure is there before the call is over: the interruption counts, whatever the plugin makes of it.
    let fields = "record(dict(method='GET', url='\(gateway.url)/slow'))"
    let child = "hello()\nrun()\nsend(3, struct.pack('<IH', 1, CALLS['http']) + \(fields))\nfailure(8)\nreceive()"
    #expect(throws: Failure(.cancelled, "")) {
      try run(
        child, settings: ["EXPO_PUBLIC_SG_URL": gateway.url],
        interruption: .descriptor(pipe.fileHandleForReading.fileDescriptor))
    }
    #expect(Date().timeIntervalSince(start) < 10)
  }

  /// Not the plugin's failure to be done in time, and not said to be.
  @Test func aSilentServerLeavesThePluginTimeToSaySo() throws {
    let gateway = try Gateway.shared.get()
    let child = """
      hello()
      run()
      assert call('http', method='GET', url='\(gateway.url)/slow')[0] == 'timeout'
      time.sleep(0.4)
      failure(4, 'silence')
      """
    let outcome = try run(child, settings: ["EXPO_PUBLIC_SG_URL": gateway.url], timeout: 4)
    guard case .failure(let said) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(said == StrategyFailure(.network, "silence"))
  }

  @Test func noProcessIsLeftBehind() throws {
    let pid = FileManager.default.temporaryDirectory.path + "/mfsctl-pid-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: pid) }
    _ = fault("hello()\nrun()\nopen('\(pid)', 'w').write(str(os.getpid()))\ntime.sleep(60)", timeout: 1)
    let number = try #require(Int32(String(contentsOfFile: pid, encoding: .utf8)))
    #expect(kill(number, 0) == -1)
  }

  @Test func operationsThatTheManifestLacksAreNotRun() throws {
    guard case .failure(let said) = try run("os._exit(9)", operation: .logout) else {
      Issue.record("a logout that nobody offers is said to be done")
      return
    }
    #expect(said.reason == .refused)
  }

  @Test func settingsAreChecked() throws {
    guard case .failure(let missing) = try run("os._exit(9)", settings: [:]),
      case .failure(let wrong) = try run("os._exit(9)", settings: ["EXPO_PUBLIC_SG_URL": "nonsense"])
    else {
      Issue.record("it ran")
      return
    }
    #expect(missing == StrategyFailure(.badSettings, "the setting EXPO_PUBLIC_SG_URL is missing"))
    #expect(wrong.reason == .badSettings)
  }

  @Test func whatItPrintsAndLogsIsStampedCleanedAndCapped() throws {
    _ = try run(
      """
      hello()
      run()
      log("one\\x1b[31m\\n::error::two", 4)
      os.write(2, b"printed\\n" + b"y" * 100000)
      for index in range(500): log(index)
      signed_in()
      """)
    #expect(services.lines.contains("probe: error: one\\u{1b}[31m\\u{a}::error::two"))
    #expect(services.lines.count <= 202)
    #expect(services.lines.contains { $0.contains("logs too much") })
    #expect(services.lines.allSatisfy { $0.count < 1_100 && $0.hasPrefix("probe: ") })
  }
}
