/// One message. The child sends ``hello(_:)`` before any code of the plugin runs, so that frame can be believed; what
/// comes after it may have been written by the plugin and is to be judged as such.
///
/// The child then reads one ``run(_:)``, sends ``log(_:_:)`` and ``request(id:_:_:)`` (the parent answers each with one
/// ``response(id:_:_:)``), and ends with exactly one of ``result(_:)``, ``failure(_:)``, ``refused(_:)`` and
/// ``broken(_:)``. The parent may send ``cancel`` at any time. Docs: PLUGINS.md, "The wire".
public enum WireMessage: Hashable, Sendable {
  /// Child: the sandbox stands.
  case hello(Hello)
  /// Parent: what to do.
  case run(Run)
  /// Child: a host call; ids count up from 1.
  case request(id: UInt32, HostCall, WireRecord)
  /// Parent: the answer to the call of that id.
  case response(id: UInt32, HostStatus, WireRecord)
  /// Child: a line of the plugin's log, neither cleaned nor capped yet.
  case log(WireLogLevel, String)
  /// Child: the plugin did what it was asked. Fields: docs/PLUGINS.md, "Results".
  case result(WireRecord)
  /// Child: the plugin could not.
  case failure(StrategyFault)
  /// Child: the plugin may not or cannot run at all (no isolation, not this ABI): exit 64.
  case refused(String)
  /// Child: the plugin broke its contract or tried what no plugin may: exit 65.
  case broken(String)
  /// Parent: the user cancelled.
  case cancel

  /// What the child says first.
  public struct Hello: Hashable, Sendable {
    /// The wire format's version: ``WireMessage/version``.
    public let version: UInt16
    /// The newest ABI version the child can host.
    public let abi: UInt32
    /// Landlock's ABI version in force; 0 when the kernel has none. The seccomp filter is always in force, or the
    /// child ends with ``WireMessage/refused(_:)`` instead of a hello.
    public let landlock: UInt32

    /// A hello.
    public init(version: UInt16 = WireMessage.version, abi: UInt32, landlock: UInt32) {
      self.version = version
      self.abi = abi
      self.landlock = landlock
    }
  }

  /// What the plugin is asked to do.
  public struct Run: Hashable, Sendable {
    /// The strategy's name, which must be the one that the plugin gives itself.
    public let strategy: String
    /// 1 login, 2 refresh, 3 logout.
    public let operation: UInt32
    /// Milliseconds it may take.
    public let timeout: UInt32
    /// The identifier given beforehand.
    public let identifier: String?
    /// The settings its manifest declares; texts.
    public let settings: WireRecord
    /// How the host differs from what it is otherwise, to try the plugin.
    public let trial: WireTrial

    /// A call.
    public init(
      strategy: String, operation: UInt32, timeout: UInt32, identifier: String?, settings: WireRecord,
      trial: WireTrial = WireTrial()
    ) {
      self.trial = trial
      self.strategy = strategy
      self.operation = operation
      self.timeout = timeout
      self.identifier = identifier
      self.settings = settings
    }
  }

  /// Why the plugin could not; the numbers are those of `mfs_reason` in the C header and of the parent's contract.
  public struct StrategyFault: Hashable, Sendable {
    /// 1 badSettings ... 10 internal.
    public let reason: UInt32
    /// The plugin's own words.
    public let message: String
    /// The HTTP status that led to it.
    public let status: Int64?
    /// Seconds after which to try again.
    public let retryAfter: Int64?

    /// A fault.
    public init(reason: UInt32, message: String, status: Int64? = nil, retryAfter: Int64? = nil) {
      self.reason = reason
      self.message = message
      self.status = status
      self.retryAfter = retryAfter
    }
  }

  /// The version of the wire format. Parent and child are installed together, so they must be equal.
  public static let version: UInt16 = 1
}
