internal import COpenSSL

/// Collects the numbers of a key and has libcrypto make the key of them.
///
/// The library keeps the names by reference, which is why they are static strings.
@safe struct KeyParameters: ~Copyable {
  private let builder: OpaquePointer
  private var numbers: [OpaquePointer]
  private var octets: [UnsafeMutableRawBufferPointer]

  /// Nothing yet; nil when memory runs out.
  init?() {
    guard let builder = unsafe OSSL_PARAM_BLD_new() else { return nil }
    unsafe self.builder = unsafe builder
    unsafe numbers = []
    unsafe octets = []
  }

  deinit {
    unsafe OSSL_PARAM_BLD_free(builder)
    unsafe numbers.forEach { unsafe BN_clear_free($0) }
    unsafe octets.forEach { unsafe $0.deallocate() }
  }

  /// Adds a big-endian number. A secret one is wiped wherever the library copies it to.
  mutating func add(_ name: StaticString, number: UnsafeRawBufferPointer, isSecret: Bool = false) -> Bool {
    guard let made = unsafe isSecret ? BN_secure_new() : BN_new() else { return false }
    unsafe numbers.append(made)
    let bytes = unsafe number.bindMemory(to: UInt8.self).baseAddress
    guard let count = Int32(exactly: number.count), unsafe BN_bin2bn(bytes, count, made) != nil else { return false }
    return unsafe OSSL_PARAM_BLD_push_BN(builder, KeyParameters.text(name), made) == 1
  }

  /// Adds the uncompressed point of X9.62.
  mutating func add(_ name: StaticString, point: [UInt8]) -> Bool {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: point.count, alignment: 1)
    unsafe copy.copyBytes(from: point)
    unsafe octets.append(copy)
    return unsafe OSSL_PARAM_BLD_push_octet_string(builder, KeyParameters.text(name), copy.baseAddress, copy.count) == 1
  }

  /// Adds a word, such as the name of a curve.
  mutating func add(_ name: StaticString, word: StaticString) -> Bool {
    unsafe OSSL_PARAM_BLD_push_utf8_string(builder, KeyParameters.text(name), KeyParameters.text(word), 0) == 1
  }

  /// Makes the key; nil when the library refuses the numbers, e.g. a point that is not on its curve.
  consuming func key(_ type: StaticString, isPrivate: Bool) -> EVPKey? {
    defer { OpenSSL.forgetErrors() }
    guard let parameters = unsafe OSSL_PARAM_BLD_to_param(builder) else { return nil }
    defer { unsafe OSSL_PARAM_free(parameters) }
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, KeyParameters.text(type), nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    // As EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR, whose macros have casts.
    let publicKey = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
    let selection = isPrivate ? publicKey | OSSL_KEYMGMT_SELECT_PRIVATE_KEY : publicKey
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &made, selection, parameters) == 1, let made = unsafe made
    else { return nil }
    return unsafe EVPKey(owning: made)
  }

  private static func text(_ name: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
