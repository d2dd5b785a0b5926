import Basics
import Foundation
import SecureMemory
import TestSupport
import Testing

/// Commands that print a secret, and those that do not behave.
@Suite(.serialized) struct SecretCommandTests {
  private func text(_ command: String, limit: Int = 4_096, seconds: Int? = nil) throws -> String? {
    try SecretInput.read(
      command: command, limit: limit, what: "the command", unsuccessful: .vaultLocked, seconds: seconds
    ).publicText()
  }

  private func code(_ command: String, limit: Int = 4_096, seconds: Int? = nil) -> FailureCode? {
    do {
      _ = try text(command, limit: limit, seconds: seconds)
      return nil
    } catch { return (error as? Failure)?.code }
  }

  @Test func whatItPrintsIsTaken() throws {
    #expect(try text("printf secret") == "secret")
    #expect(try text("true") == "")
    #expect(
      try text("head -c 3000 /dev/zero | tr '\\0' x; sleep 0.1; head -c 1096 /dev/zero | tr '\\0' x")?.count == 4_096)
    #expect(code("exit 3") == .vaultLocked)
    #expect(code("kill -9 $$") == .vaultLocked)
    #expect(code("exit 130") == .cancelled)
    // What this program ignores for itself is not ignored for the command.
    #expect(try text("sh -c 'kill -PIPE $$'; echo $?") == "141\n")
  }

  @Test func tooMuchIsRefusedAtOnce() {
    let start = Date()
    #expect(code("yes") == .usage)
    #expect(code("trap '' PIPE TERM; while :; do echo x; done 2>/dev/null") == .usage)
    #expect(code("head -c 4097 /dev/zero") == .usage)
    #expect(Date().timeIntervalSince(start) < 10)
  }

  /// What a command leaves behind with the pipe in hand - an agent, say - is not waited for.
  @Test func whatItLeavesBehindIsNotWaitedFor() throws {
    let start = Date()
    #expect(try text("sleep 4 & printf secret") == "secret")
    #expect(Date().timeIntervalSince(start) < 3)
  }

  /// Whether somebody could stop a command with Ctrl-C. Then it may take all the time that it needs.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }

  @Test(.enabled(if: !hasTerminal, "there is a terminal, on which a command is not ended: run the tests by 'setsid'"))
  func oneThatDoesNotEndIsEnded() throws {
    let start = Date()
    #expect(code("trap '' TERM; sleep 4002.5 | cat", seconds: 1) == .vaultLocked)
    #expect(code("exec >/dev/null; sleep 4002.5", seconds: 1) == .vaultLocked)
    #expect(Date().timeIntervalSince(start) < 10)
    // One that was killed is there until the kernel is done with it.
    for _ in 0..<200 where try !sleepers().isEmpty { usleep(10_000) }
    #expect(try sleepers().isEmpty)
  }

  private func sleepers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
      FileManager.default.contents(atPath: "/proc/\(entry)/cmdline").map { String(decoding: $0, as: UTF8.self) }?
        .hasPrefix("sleep\0" + "4002.5") ?? false
    }
  }
}
