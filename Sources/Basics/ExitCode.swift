/// How a run of `mfsctl` or `mfs-authd` ended, as scripts see it. Numbers and meanings only ever grow; docs/CLI.md shows this table
/// and a test holds the two together.
public struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The process's exit status, 0...255.
  public let rawValue: Int32

  /// Wraps an exit status, for commands that pass on a child's own.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// 0: done, or checked and clean.
  public static let done = ExitCode(rawValue: 0)
  /// 1: checked, and something was found.
  public static let found = ExitCode(rawValue: 1)
  /// 2: wrong usage.
  public static let usage = ExitCode(rawValue: 2)
  /// 3: a configuration that cannot be used.
  public static let configuration = ExitCode(rawValue: 3)
  /// 10: not found.
  public static let notFound = ExitCode(rawValue: 10)
  /// 11: exists already.
  public static let exists = ExitCode(rawValue: 11)
  /// 20: the vault is not initialised.
  public static let notInitialised = ExitCode(rawValue: 20)
  /// 21: the vault is locked and there is no way to unlock it here.
  public static let locked = ExitCode(rawValue: 21)
  /// 22: wrong key or passphrase.
  public static let wrongKey = ExitCode(rawValue: 22)
  /// 23: the backend is unavailable.
  public static let backendUnavailable = ExitCode(rawValue: 23)
  /// 24: the backend is not the pinned one.
  public static let backendMismatch = ExitCode(rawValue: 24)
  /// 30: damaged.
  public static let damaged = ExitCode(rawValue: 30)
  /// 31: tampered with.
  public static let tampered = ExitCode(rawValue: 31)
  /// 32: rolled back or forked.
  public static let rolledBack = ExitCode(rawValue: 32)
  /// 33: a vault made by a newer version.
  public static let newerFormat = ExitCode(rawValue: 33)
  /// 40: unsafe permissions or owner.
  public static let permissions = ExitCode(rawValue: 40)
  /// 41: disk full or I/O error, old state kept.
  public static let inputOutput = ExitCode(rawValue: 41)
  /// 42: lock timeout.
  public static let lockTimeout = ExitCode(rawValue: 42)
  /// 50: partly done; the report says what is left.
  public static let partial = ExitCode(rawValue: 50)
  /// 60: credentials rejected.
  public static let rejected = ExitCode(rawValue: 60)
  /// 61: sign-in needed.
  public static let signInNeeded = ExitCode(rawValue: 61)
  /// 62: network or server trouble; the session is kept.
  public static let network = ExitCode(rawValue: 62)
  /// 63: the server refused for good.
  public static let refused = ExitCode(rawValue: 63)
  /// 64: a plugin was refused.
  public static let pluginRefused = ExitCode(rawValue: 64)
  /// 65: a plugin failed.
  public static let pluginFailed = ExitCode(rawValue: 65)
  /// 70: a bug in the program.
  public static let bug = ExitCode(rawValue: 70)
  /// 125: an `exec` command failed before it could run its child.
  public static let execFailed = ExitCode(rawValue: 125)
  /// 130: cancelled.
  public static let cancelled = ExitCode(rawValue: 130)

  /// Every code with its meaning for a program of the toolkit, in the words of its reference and of its `help exit-codes`. ``execFailed`` is
  /// for those of which a command runs another program.
  public static func table(of program: String, runsPrograms: Bool) -> [(code: ExitCode, meaning: String)] {
    let all: [(code: ExitCode, meaning: String)] = [
      (.done, "done, or checked and clean"),
      (.found, "checked, and something was found"),
      (.usage, "wrong usage"),
      (.configuration, "configuration cannot be used"),
      (.notFound, "not found"),
      (.exists, "exists already"),
      (.notInitialised, "vault not initialised"),
      (.locked, "vault locked, no way to unlock it here"),
      (.wrongKey, "wrong key or passphrase"),
      (.backendUnavailable, "backend unavailable"),
      (.backendMismatch, "backend is not the pinned one"),
      (.damaged, "damaged"),
      (.tampered, "tampered with"),
      (.rolledBack, "rolled back or forked"),
      (.newerFormat, "vault made by a newer version"),
      (.permissions, "unsafe permissions or owner"),
      (.inputOutput, "disk full or I/O error, old state kept"),
      (.lockTimeout, "lock timeout"),
      (.partial, "partly done (the report says what is left)"),
      (.rejected, "credentials rejected"),
      (.signInNeeded, "sign-in needed (interaction required)"),
      (.network, "network or server trouble; session kept, try again"),
      (.refused, "server refused for good (configuration, trust)"),
      (.pluginRefused, "plugin refused (missing, trust, ABI, grants, no isolation)"),
      (.pluginFailed, "plugin failed (crash, timeout, contract)"),
      (.bug, "a bug in \(program)"),
      (.execFailed, "`exec` commands: \(program) itself failed; else 126, 127, the child's own, 128+signal, as env(1)"),
      (.cancelled, "cancelled"),
    ]
    return runsPrograms ? all : all.filter { $0.code != .execFailed }
  }
}
