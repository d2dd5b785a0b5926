/// Where a server listens and what it allows a client. The defaults suit a service on loopback.
public struct ServerOptions: Sendable, Equatable {
  /// The numeric IPv4 or IPv6 address to listen on.
  public var address = "127.0.0.1"
  /// The port; 0 for any free one.
  public var port: UInt16 = 0
  /// What the address and the port are set by, such as the names of settings: they are named when nothing can listen there.
  public var addressName: String?
  /// See ``addressName``.
  public var portName: String?
  /// How many threads read and write.
  public var ioThreads = 1
  /// How many requests are handled at the same time.
  public var workers = 8
  /// How many requests may wait for a worker; more are answered 503.
  public var queueLimit = 1_024
  /// How many connections may be open; more wait in the kernel's queue or are closed.
  public var connectionLimit = 512
  /// How many connections one client address may have open; 0 is no limit.
  public var connectionsPerAddress = 0
  /// How many connections may speak another protocol at the same time; more are answered 503. Each has a thread.
  public var upgradeLimit = 256
  /// How many seconds a connection may be silent before it is closed; 0 is no limit.
  public var idleTimeout = 30
  /// How many seconds a client may take for a whole request, its body included, however slowly its bytes trickle in;
  /// 0 is no limit.
  public var requestTimeout = 30
  /// How many seconds a client may take to read an answer, however long that is; 0 is no limit.
  public var responseTimeout = 300
  /// How many bytes the library may use for one connection; header fields must fit in it.
  public var connectionMemory = 32_768
  /// How many bytes a body may have; a longer one is answered 413.
  public var bodyLimit = 1_048_576

  /// The defaults.
  public init() {}
}
