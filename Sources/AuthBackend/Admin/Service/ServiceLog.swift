public import AuthBackend
public import Basics
internal import Glibc

/// The log: a JSON object on each line, for people and programs. What is written never has a secret, a token or a query.
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

  private let descriptor: Int32
  // So that lines of several threads do not run into each other.
  private let line = Monitor(())

  /// A log on an open descriptor, which is borrowed.
  public init(descriptor: Int32 = 2) { self.descriptor = descriptor }

  /// Writes a line. A log that takes nothing more is no reason to stop.
  public func write(_ level: Level, _ event: String, _ fields: [(name: String, value: JSONValue)] = []) {
    var writer = JSONWriter(capacity: 256)
    writer.add("at", Timestamp.now().rfc3339)
    writer.add("level", level.rawValue)
    writer.add("event", event)
    for field in fields { writer.add(field.name, value: field.value) }
    let bytes = writer.line()
    line.withLock(wake: .nobody) { _ in
      var sent = 0
      while sent < bytes.count {
        let count = unsafe bytes[sent...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        sent += count
      }
    }
  }

  /// Writes an event of the backend's.
  public func write(_ event: BackendEvent) {
    write(event.isAlert ? .alert : .info, event.name, event.fields.map { ($0.name, .string($0.value)) })
  }
}
