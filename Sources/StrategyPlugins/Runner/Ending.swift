internal import Glibc
internal import StrategyWire

/// Why the process ends without an answer of the plugin's.
package enum Ending: Error {
  /// The plugin may not or cannot run: exit 64 of mfsctl.
  case refused(String)
  /// The plugin broke its contract: exit 65 of mfsctl.
  case broken(String)
  /// Whoever started this process is gone or does not speak the wire format; there is nobody to tell.
  case alone

  /// Tells the parent and ends the process, without running what the plugin left to be run at exit.
  package func leave(_ channel: Channel) -> Never {
    switch self {
    case .refused(let text):
      try? channel.send(.refused(text))
      _exit(64)
    case .broken(let text):
      try? channel.send(.broken(text))
      _exit(65)
    case .alone: _exit(1)
    }
  }
}
