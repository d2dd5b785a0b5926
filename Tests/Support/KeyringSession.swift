import Foundation

/// A session bus of its own with a real gnome-keyring on it, for one bash script. The script finds these functions:
///
/// - `unlock [PASSWORD]`: starts the keyring, unlocked by that password (`ci-pass`), making it when there is none;
/// - `start_locked`: starts it without a password;
/// - `keyring_pid`: prints the process id of whoever keeps secrets on the bus; nothing for nobody;
/// - `stop_keyring`: ends that process and waits until it has gone;
/// - `expect STATUS COMMAND...`: runs a command and ends the script with 99 when it exits with another status.
///
/// Everything is kept in the sandbox; the keyring ends with the script.
public struct KeyringSession {
  /// What is on the bus when the script begins.
  public enum Start: String {
    /// An unlocked keyring.
    case unlocked = "unlock"
    /// Nothing yet; the bus starts a keyring for the first who asks.
    case nothing = ":"
    /// Nothing, and the bus knows of no keyring that it could start.
    case noProvider = ": no provider"
    /// A bus that lets nobody hear its answers.
    case silentBus = ": silent bus"
  }

  /// Where everything happens.
  public let sandbox: Sandbox

  /// A session in a sandbox of its own.
  public init() throws {
    sandbox = try Sandbox()
    for program in ["dbus-run-session", "dbus-send", "gnome-keyring-daemon", "secret-tool", "strace", "setsid"] {
      let found = ["/usr/bin", "/bin", "/usr/local/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
      }
      guard found else {
        throw MissingProgram(
          description: "\(program) is not installed: run 'make deps-test' (dbus, gnome-keyring, "
            + "libsecret-tools, strace, util-linux)")
      }
    }
    try FileManager.default.createDirectory(
      atPath: sandbox("run"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// A program that the tests need and this machine lacks.
  public struct MissingProgram: Error, CustomStringConvertible {
    /// Which, and how to get it.
    public let description: String
  }

  /// Runs a script with `bash -eu`.
  public func run(
    _ script: String, start: Start = .unlocked, environment: [String: String] = [:], seconds: Int = 300
  ) throws -> RunResult {
    try sandbox.write("session.sh", KeyringSession.prelude + "\n\(start.rawValue)\n" + script)
    var command = ["dbus-run-session"]
    if start == .noProvider || start == .silentBus {
      // A bus without service files can start nothing.
      try sandbox.write("bus.conf", KeyringSession.bareBus(folder: sandbox.path, answers: start == .noProvider))
      command += ["--config-file=\(sandbox("bus.conf"))"]
    }
    var variables = ["XDG_RUNTIME_DIR": sandbox("run")]
    variables.merge(environment) { $1 }
    return try TestSupport.run(
      command + ["--", "bash", "-eu", sandbox("session.sh")], in: sandbox, environment: variables, seconds: seconds)
  }

  private static let prelude = """
    # The test waits until nobody holds what it opened, and a keyring lives on in the background.
    for descriptor in /proc/self/fd/*; do
      number=${descriptor##*/}
      if [ "$number" -gt 2 ] && [ "$number" != 255 ]; then eval "exec $number>&-"; fi
    done
    keyring_pid() {
      dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus \\
        org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets 2>/dev/null |
        sed -nE 's/.*uint32 ([0-9]+).*/\\1/p'
    }
    # The daemon that got the password owns the name only once it is told to start.
    start_locked() { gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; }
    unlock() {
      printf %s "${1-ci-pass}" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      start_locked
    }
    stop_keyring() {
      local pid; pid=$(keyring_pid)
      [ -n "$pid" ] || return 0
      kill -CONT "$pid" || return 0
      kill "$pid"
      while kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
    }
    expect() {
      local wanted=$1 status=0; shift
      "$@" || status=$?
      [ "$status" = "$wanted" ] || { echo "exit $status instead of $wanted: $*" >&2; exit 99; }
    }
    trap stop_keyring EXIT
    """

  private static func bareBus(folder: String, answers: Bool) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type><listen>unix:dir=\(folder)</listen><auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*"/><allow own="*"/>\(answers ? "<allow receive_sender=\"*\"/>" : "")
      </policy>
    </busconfig>
    """
  }
}
