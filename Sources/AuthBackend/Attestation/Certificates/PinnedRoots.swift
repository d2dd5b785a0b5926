public import Basics
internal import COpenSSL

/// Root certificates that a chain must lead to. No other is known: not the system's, not one that a device sends.
@safe public final class PinnedRoots: @unchecked Sendable {
  // The store is locked by libcrypto and never changed after this was made, so threads may use it at once.
  let store: OpaquePointer
  /// How many roots there are.
  public let count: Int

  /// Reads one or more certificates in PEM. Throws ``FailureCode/configuration`` when there is none, when one cannot be read, or when
  /// one is no self-signed certificate of an authority, which could never end a chain.
  public init(pem: [UInt8]) throws(Failure) {
    defer { LibCrypto.forgetErrors() }
    let certificates = PinnedRoots.read(pem)
    let announced =
      String(decoding: pem, as: UTF8.self).split(separator: "-----BEGIN ", omittingEmptySubsequences: false)
      .count - 1
    guard !certificates.isEmpty, certificates.count == announced else {
      throw Failure(
        .configuration, "only \(certificates.count) of \(announced) root certificates can be read",
        hint: "each is a PEM block 'CERTIFICATE', and the text holds nothing else")
    }
    guard certificates.allSatisfy({ $0.isSelfSigned && $0.isAuthority }) else {
      throw Failure(
        .configuration, "a pinned certificate is not a root: it is not self-signed, or not an authority's",
        hint: "pin the root, not an intermediate certificate")
    }
    guard let store = unsafe X509_STORE_new() else { throw Failure(.outOfMemory, "cannot keep root certificates") }
    unsafe self.store = unsafe store
    count = certificates.count
    for certificate in certificates {
      guard unsafe X509_STORE_add_cert(store, certificate.pointer) == 1 else {
        throw Failure(.outOfMemory, "cannot keep root certificates")
      }
    }
  }

  deinit { unsafe X509_STORE_free(store) }

  private static func read(_ pem: [UInt8]) -> [Certificate] {
    guard let count = Int32(exactly: pem.count) else { return [] }
    return unsafe pem.withUnsafeBytes { bytes in
      guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return [] }
      defer { unsafe BIO_free(bio) }
      var found: [Certificate] = []
      while let one = unsafe copenssl_read_certificate(bio) { unsafe found.append(Certificate(owning: one)) }
      return found
    }
  }
}
