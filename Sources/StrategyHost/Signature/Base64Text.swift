internal import CSodium

/// Base64 (RFC 4648 4) of what is no secret, by libsodium.
enum Base64Text {
  /// The text of bytes.
  static func encode(_ bytes: [UInt8]) -> String {
    // What sodium_base64_ENCODED_LEN counts, its NUL included.
    let size = (bytes.count + 2) / 3 * 4 + 1
    var text = [CChar](repeating: 0, count: size)
    unsafe sodium_bin2base64(&text, size, bytes, bytes.count, Int32(sodium_base64_VARIANT_ORIGINAL))
    return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Exactly `count` bytes from a text; nil for anything else.
  static func decode(_ text: some StringProtocol, count: Int) -> [UInt8]? {
    let source = text.utf8.map { CChar(bitPattern: $0) }
    var bytes = [UInt8](repeating: 0, count: count)
    var length = 0
    let code = unsafe sodium_base642bin(
      &bytes, count, source, source.count, nil, &length, nil, Int32(sodium_base64_VARIANT_ORIGINAL))
    return code == 0 && length == count ? bytes : nil
  }
}
