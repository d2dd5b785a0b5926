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
    certificates = try Files.read(certificateFile, limit: 1 << 20)
    key = SecureBox(try SecretInput.read(file: keyFile, limit: 65_536, what: "the TLS key", credentials: credentials))
  }

  /// Lends both as the library wants them, ended by a zero. Its TLS library makes copies of its own.
  func withNative(_ body: (mfs_http_identity) throws(Failure) -> Void) throws(Failure) {
    let chain = certificates + [0]
    let count = key.bytes.count
    let ended = try SecureBytes(count: count + 1)
    unsafe ended.withMutableBytes { to in
      unsafe key.bytes.withBytes { unsafe to.copyMemory(from: $0) }
      unsafe to[count] = 0
    }
    try unsafe chain.withUnsafeBufferPointer { chain throws(Failure) in
      try unsafe ended.withBytes { key throws(Failure) in
        let certificates = unsafe UnsafeRawPointer(chain.baseAddress)?.assumingMemoryBound(to: CChar.self)
        let key = unsafe key.baseAddress?.assumingMemoryBound(to: CChar.self)
        try unsafe body(mfs_http_identity(certificates: certificates, key: key))
      }
    }
  }
}
