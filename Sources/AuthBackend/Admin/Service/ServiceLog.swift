public import AuthBackend
public import Basics

/// The log: a JSON object on each line, for people and programs. What is written never has a secret, a token or a query.
///
/// A thread of its own writes: who has a line never waits for the reader of the log. What does not fit in memory meanwhile is dropped
/// and counted.
public final class ServiceLog: Sendable {
  /// How much a line weighs.
  public enum Level: String, Sendable {
    /// It went as it should.
    case info
    /// It did not, and the server goes on.
    case error
    /// Somebody should look at once.
    case alert
  }

  /// How many bytes may wait to be written.
  public static let capacity = 1 << 20

  private let writer: LogWriter

  /// A log on an open descriptor, which is borrowed. Throws ``FailureCode/inputOutput`` when the system has no room for a thread.
  public init(descriptor: Int32 = 2) throws(Failure) {
    writer = LogWriter(descriptor, capacity: ServiceLog.capacity)
    let writer = writer
    try Thread { writer.work() }.detach()
  }

  deinit { writer.stop(within: 1) }

  /// Writes a line. A log that takes nothing more is no reason to stop.
  public func write(_ level: Level, _ event: String, _ fields: [(name: String, value: JSONValue)] = []) {
    writer.add(ServiceLog.line(level, event, fields))
  }

  /// Writes an event of the backend's.
  public func write(_ event: BackendEvent) {
    write(event.isAlert ? .alert : .info, event.name, event.fields.map { ($0.name, .string($0.value)) })
  }

  /// Waits until all is written, so many seconds at most.
  public func flush(within seconds: Double) { writer.flush(within: seconds) }

  /// Counts in the text format of Prometheus.
  var metrics: String {
    """
    # HELP mfs_log_lines_dropped_total Lines of the log that nobody took in time.
    # TYPE mfs_log_lines_dropped_total counter
    mfs_log_lines_dropped_total \(writer.lost)

    """
  }

  static func line(
    _ level: Level, _ event: String, _ fields: [(name: String, value: JSONValue)]
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.add("at", Timestamp.now().rfc3339)
    writer.add("level", level.rawValue)
    writer.add("event", event)
    for field in fields { writer.add(field.name, value: field.value) }
    return writer.line()
  }
}
