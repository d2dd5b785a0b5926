internal import CSodium

/// Base64url without padding (RFC 4648 5) by libsodium, in a time that depends on the length alone: what clients hold is secret.
enum Base64Text {
  private static let variant = Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING)

  /// How long the text of so many bytes is.
  static func size(_ count: Int) -> Int { (count * 4 + 2) / 3 }

  /// Writes the text of bytes and a zero after it; there must be room for both.
  static func encode(
    _ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableBufferPointer<UInt8>, at offset: Int
  ) {
    guard offset + size(bytes.count) < text.count, let start = text.baseAddress,
      let source = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
    else { return }
    unsafe (start + offset).withMemoryRebound(to: CChar.self, capacity: text.count - offset) { target in
      _ = unsafe sodium_bin2base64(target, text.count - offset, source, bytes.count, variant)
    }
  }

  /// Fills memory with the bytes that a text means; false when it is no such text, or means more or fewer.
  static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard text.count == size(bytes.count), let source = text.baseAddress,
      let target = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
    else { return false }
    var count = 0
    let status = unsafe source.withMemoryRebound(to: CChar.self, capacity: text.count) { source in
      unsafe sodium_base642bin(target, bytes.count, source, text.count, nil, &count, nil, variant)
    }
    return status == 0 && count == bytes.count
  }
}
