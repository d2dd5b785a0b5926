internal import COpenSSL

/// The hash functions of FIPS 180-4 that JOSE asks for here.
enum Digest {
  case sha256, sha512

  /// The library's own description of it.
  var function: OpaquePointer? {
    switch self {
    case .sha256: unsafe EVP_sha256()
    case .sha512: unsafe EVP_sha512()
    }
  }

  /// The digest of bytes, 32 or 64 of them; nil when the library has no memory.
  func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var size: UInt32 = 0
    var digest = [UInt8](repeating: 0, count: 64)
    let isDone = unsafe digest.withUnsafeMutableBufferPointer { target in
      unsafe EVP_Digest(bytes.baseAddress, bytes.count, target.baseAddress, &size, function, nil) == 1
    }
    guard isDone else {
      OpenSSL.forgetErrors()
      return nil
    }
    return Array(digest.prefix(Int(size)))
  }
}
