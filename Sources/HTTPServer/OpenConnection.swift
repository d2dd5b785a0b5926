/// What is ours of a connection, from its start to its end. Only the thread that reads and writes it comes here.
///
/// It holds the request that is on its way, and not the library alone: where the library gives a request up before its header is read,
/// as when the many cookies of a request do not fit into its memory, it does not say that the request is over.
@safe final class OpenConnection: @unchecked Sendable {
  private(set) var exchange: Exchange?

  /// A request has begun. Returns whether none was on its way.
  func begin(_ exchange: Exchange) -> Bool {
    defer { self.exchange = exchange }
    return self.exchange == nil
  }

  /// The request is over. Returns whether there was one.
  func end() -> Bool {
    defer { exchange = nil }
    return exchange != nil
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> OpenConnection? {
    unsafe context.map { unsafe Unmanaged<OpenConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}
