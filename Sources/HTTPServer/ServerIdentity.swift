public import Basics
internal import CMicroHTTPD
public import SecureMemory

/// What a server shows its clients by TLS: its certificate, and the key to it.
public struct ServerIdentity {
  /// PEM (RFC 7468): the server's own certificate first, then those that lead to an authority.
  public let certificates: [UInt8]
  /// The private key, in PEM.
  public let key: SecureBox

  /// An identity; that the two belong together is found out when the server starts.
  public init(certificates: [UInt8], key: SecureBox) {
    self.certificates = certificates
    self.key = key
  }

  /// Reads both from files; the key's is one that only its owner can get at, or one in `credentials`, the folder of systemd's.
  ///
  /// Throws ``FailureCode/notFound``, ``FailureCode/permissions`` and ``FailureCode/inputOutput``.
  public init(certificateFile: String, keyFile: String, credentials: String? = nil) throws(Failure) {
    certificates = try ServerIdentity.certificates(certificateFile)
    key = try ServerIdentity.key(keyFile, credentials: credentials)
  }

  /// The certificates of a file. Throws as reading both does.
  public static func certificates(_ file: String) throws(Failure) -> [UInt8] { try Files.read(file, limit: 1 << 20) }

  /// The key of a file. Throws as reading both does.
  public static func key(_ file: String, credentials: String? = nil) throws(Failure) -> SecureBox {
    SecureBox(try SecretInput.read(file: file, limit: 65_536, what: "the TLS key", credentials: credentials))
  }

  /// Throws ``FailureCode/configuration`` for what is no chain of certificates in PEM, whatever its key.
  public static func check(certificates: [UInt8]) throws(Failure) {
    let ended = certificates + [0]
    let isGood = unsafe ended.withUnsafeBytes { bytes in
      unsafe mfs_tls_chain_is_good(bytes.baseAddress?.assumingMemoryBound(to: CChar.self)) != 0
    }
    guard isGood else {
      throw Failure(
        .configuration, "the TLS certificate cannot be used", hint: "it is PEM, the server's own certificate first")
    }
  }

  /// Throws ``FailureCode/configuration`` for what is no private key in PEM, whatever its certificate.
  public static func check(key: SecureBox) throws(Failure) {
    let ended = try ended(key)
    let isGood = unsafe ended.withBytes { bytes in
      unsafe mfs_tls_key_is_good(bytes.baseAddress?.assumingMemoryBound(to: CChar.self)) != 0
    }
    guard isGood else {
      throw Failure(
        .configuration, "the key of the TLS certificate cannot be used", hint: "it is PEM, without a passphrase")
    }
  }

  /// Throws ``FailureCode/configuration`` when a server could not show the pair, as when the key is another certificate's.
  public func check() throws(Failure) { try ShownIdentity().show(self, handshakeSeconds: 0) }

  private static func ended(_ key: SecureBox) throws(Failure) -> SecureBytes {
    let count = key.bytes.count
    let ended = try SecureBytes(count: count + 1)
    unsafe ended.withMutableBytes { to in
      unsafe key.bytes.withBytes { unsafe to.copyMemory(from: $0) }
      unsafe to[count] = 0
    }
    return ended
  }

  /// Lends both as the library wants them, ended by a zero. Its TLS library makes copies of its own.
  func withNative(_ body: (mfs_http_identity) throws(Failure) -> Void) throws(Failure) {
    let chain = certificates + [0]
    let ended = try ServerIdentity.ended(key)
    try unsafe chain.withUnsafeBufferPointer { chain throws(Failure) in
      try unsafe ended.withBytes { key throws(Failure) in
        let certificates = unsafe UnsafeRawPointer(chain.baseAddress)?.assumingMemoryBound(to: CChar.self)
        let key = unsafe key.baseAddress?.assumingMemoryBound(to: CChar.self)
        try unsafe body(mfs_http_identity(certificates: certificates, key: key))
      }
    }
  }
}
