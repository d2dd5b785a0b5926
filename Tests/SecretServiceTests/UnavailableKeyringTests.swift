import Testing
import TestSupport

/// A keyring that is locked, absent or silent ends a command soon, with its own exit code and a next step.
@Suite struct UnavailableKeyringTests {
  @Test func aLockedKeyringIsExit21() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe set auth.a 5
      stop_keyring
      start_locked
      for command in show 'set auth.a 5' logout wipe init destroy; do expect 21 secret-service-probe $command; done
      secret-service-probe status
      stop_keyring
      unlock
      secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.hasPrefix("initialised=true locked=true generation=0\ngeneration 2\nauth.a 5 "))
    #expect(result.errorText.contains("vault.locked: the keyring is locked"))
    #expect(result.errorText.contains("gnome-keyring-daemon --unlock"))
  }

  /// The daemon exits with 0 whatever the password; only asking it shows whether it is unlocked.
  @Test func aWrongPasswordIsExit21() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      stop_keyring
      unlock wrong
      expect 21 secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
  }

  /// Without a display the prompt fails; the command must neither hang nor succeed.
  @Test func aPromptThatCannotBeShownIsExit21() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      stop_keyring
      start_locked
      PROBE_PROMPT=1 expect 21 secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("its prompt was dismissed or could not be shown"))
  }

  @Test(arguments: ["", "autolaunch:", "unix:path=/nowhere/bus", "rubbish"])
  func noBusIsExit23(address: String) throws {
    let result = try KeyringSession().run(
      "DBUS_SESSION_BUS_ADDRESS='\(address)' expect 23 secret-service-probe show", start: .nothing)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("org.freedesktop.DBus.Error.NoServer"))
    #expect(result.errorText.contains("dbus-run-session -- "))
  }

  @Test func aBusWithoutAKeyringIsExit23() throws {
    let result = try KeyringSession().run(
      "for command in show init status destroy; do expect 23 secret-service-probe $command; done", start: .noProvider)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("org.freedesktop.DBus.Error.ServiceUnknown"))
    #expect(result.errorText.contains("gnome-keyring-daemon --unlock"))
    #expect(!result.errorText.contains("file"))
  }

  @Test func aBusThatDoesNotAnswerIsExit23AfterTheTimeout() throws {
    let result = try KeyringSession().run(
      "trap - EXIT; PROBE_TIMEOUT_MS=300 expect 23 secret-service-probe show", start: .silentBus)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("cannot connect to the session bus: no answer within 0.3 s"))
  }

  @Test func aKeyringThatHasNeverBeenMadeIsExit23() throws {
    let result = try KeyringSession().run("start_locked; expect 23 secret-service-probe init", start: .nothing)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("there is no default keyring"))
  }

  /// Stopped at different moments: before the connection, and in the middle of a change.
  @Test func aSilentKeyringIsExit23AfterTheTimeout() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      kill -STOP $(keyring_pid)
      begin=$(date +%s%N)
      PROBE_TIMEOUT_MS=300 expect 23 secret-service-probe show
      echo $(( ($(date +%s%N) - begin) / 1000000 ))
      kill -CONT $(keyring_pid)
      secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("no answer within 0.3 s (org.freedesktop.DBus.Error.NoReply)"))
    let lines = result.text.split(separator: "\n")
    let waited = try #require(lines.first.flatMap { Int($0) })
    #expect((300..<5_000).contains(waited), "it waited \(waited) ms")
    #expect(lines.last == "generation 1")
  }

  @Test func aProfileWithoutAVaultIsExit20() throws {
    let result = try KeyringSession().run(
      "for command in show logout 'set auth.a 1'; do expect 20 secret-service-probe $command; done")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("mfsctl vault init --backend secret-service"))
  }
}
