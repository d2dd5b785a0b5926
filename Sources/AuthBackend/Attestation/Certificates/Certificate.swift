internal import COpenSSL

/// An X.509 certificate inside libcrypto, with its memory. It never changes after it was read.
@safe final class Certificate {
  let pointer: OpaquePointer

  /// Takes a certificate over.
  init(owning pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  /// Reads one in DER with nothing after it; nil for anything else.
  convenience init?(der: [UInt8]) {
    defer { LibCrypto.forgetErrors() }
    var isWhole = false
    let read = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var at = bytes.baseAddress
      let made = unsafe d2i_X509(nil, &at, bytes.count)
      isWhole = unsafe at == bytes.baseAddress.map { unsafe $0 + bytes.count }
      return unsafe made
    }
    guard let read = unsafe read else { return nil }
    unsafe self.init(owning: read)
    guard isWhole else { return nil }
  }

  deinit { unsafe X509_free(pointer) }

  /// Whether it may sign others: basic constraints say `CA:TRUE` (RFC 5280 4.2.1.9) and key usage, if there, allows it. Version 1,
  /// and a mere key usage, are not enough.
  var isAuthority: Bool { unsafe Certificate.isAuthority(pointer) }

  /// The same for a certificate that is lent.
  static func isAuthority(_ pointer: OpaquePointer) -> Bool {
    defer { LibCrypto.forgetErrors() }
    return unsafe X509_check_ca(pointer) == 1
  }

  /// Whether it is signed by its own key.
  var isSelfSigned: Bool {
    defer { LibCrypto.forgetErrors() }
    return unsafe X509_self_signed(pointer, 1) == 1
  }

  /// The uncompressed point of its P-256 key, 65 bytes; nil for any other key or form.
  var p256Point: [UInt8]? {
    defer { LibCrypto.forgetErrors() }
    guard let key = unsafe X509_get0_pubkey(pointer), unsafe EVP_PKEY_is_a(key, "EC") == 1,
      unsafe Certificate.curve(key) == "prime256v1", let field = unsafe X509_get0_pubkey_bitstr(pointer)
    else { return nil }
    let point = unsafe Certificate.content(field)
    return point.count == P256PublicKey.pointSize && point.first == 4 ? point : nil
  }

  /// The contents of each extension with an OID, in order.
  func extensions(_ oid: String) -> [[UInt8]] {
    defer { LibCrypto.forgetErrors() }
    guard let object = unsafe OBJ_txt2obj(oid, 1) else { return [] }
    defer { unsafe ASN1_OBJECT_free(object) }
    var found: [[UInt8]] = []
    var index = unsafe X509_get_ext_by_OBJ(pointer, object, -1)
    while index >= 0, let one = unsafe X509_get_ext(pointer, index) {
      if let content = unsafe X509_EXTENSION_get_data(one) { unsafe found.append(Certificate.content(content)) }
      index = unsafe X509_get_ext_by_OBJ(pointer, object, index)
    }
    return found
  }

  private static func content(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
  }

  private static func curve(_ key: OpaquePointer) -> String? {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
