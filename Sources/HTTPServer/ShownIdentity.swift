internal import Basics
internal import CMicroHTTPD

/// The certificate and the key that a server shows, in the form of the library. Another pair can take their place at any time:
/// handshakes that begin afterwards get it, and connections that are open stay as they are.
final class ShownIdentity: Sendable {
  private struct Pairs {
    // What `mfs_tls_pair_make` gave; a number, because it is passed between threads. 0 is none.
    var current: UInt = 0
    // Handshakes that began before may still be at it.
    var replaced: [(pair: UInt, at: MonotonicInstant)] = []
  }

  private let pairs = Monitor(Pairs())

  deinit {
    let all = pairs.withLock { $0.replaced.map(\.pair) + [$0.current] }
    for pair in all { mfs_tls_pair_free(pair) }
  }

  /// Shows a pair from now on. Those that were replaced more than `handshakeSeconds` ago, which no handshake lasts, are freed; at 0
  /// it may last for ever. Throws ``FailureCode/configuration`` when the pair cannot be used; then the one before is shown.
  func show(_ identity: ServerIdentity, handshakeSeconds: Int) throws(Failure) {
    var pair: UInt = 0
    try unsafe identity.withNative { native throws(Failure) in
      var native = unsafe native
      pair = unsafe mfs_tls_pair_make(&native)
    }
    guard pair != 0 else {
      throw Failure(
        .configuration, "the TLS certificate and its key cannot be used",
        hint: "both are PEM, the server's own certificate first, and the key is that certificate's")
    }
    let made = pair, now = MonotonicInstant.now()
    let over = pairs.withLock(wake: .nobody) { pairs -> [UInt] in
      if pairs.current != 0 { pairs.replaced.append((pairs.current, now)) }
      pairs.current = made
      guard handshakeSeconds > 0 else { return [] }
      let isOver = { (at: MonotonicInstant) in at.advanced(bySeconds: Double(handshakeSeconds)) < now }
      defer { pairs.replaced.removeAll { isOver($0.at) } }
      return pairs.replaced.filter { isOver($0.at) }.map(\.pair)
    }
    for pair in over { mfs_tls_pair_free(pair) }
  }

  /// What is shown now; 0 when nothing is.
  var current: UInt { pairs.withLock(wake: .nobody) { $0.current } }

  /// How many that were replaced are still there.
  var replaced: Int { pairs.withLock(wake: .nobody) { $0.replaced.count } }
}
