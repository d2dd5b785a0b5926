internal import Basics
internal import SecureMemory

/// `application/x-www-form-urlencoded` (WHATWG URL 5.2; RFC 6749 appendix B), written into guarded memory.
enum FormEncoding {
  /// Adds `name=value` to a query or a body that is empty or has fields already. False when it does not fit.
  static func append(
    _ name: String, _ value: SecureBox, to buffer: SecureBuffer, isFirst: Bool
  ) throws(Failure) -> Bool {
    guard try buffer.append(publicText: (isFirst ? "" : "&") + encoded(name) + "=") else { return false }
    // Three bytes for each at most.
    let text = try SecureBytes(count: max(1, value.bytes.count * 3))
    let count = unsafe value.bytes.withBytes { bytes in
      unsafe text.withMutableBytes { target in
        var at = 0
        unsafe bytes.forEach { byte in
          encode(byte) { unit in
            unsafe target[at] = unit
            at += 1
          }
        }
        return at
      }
    }
    return try unsafe text.withBytes { bytes throws(Failure) in
      try unsafe buffer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  /// A text that is no secret.
  static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 { encode(byte) { bytes.append($0) } }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func encode(_ byte: UInt8, _ put: (UInt8) -> Void) {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: put(byte)
    case 0x20: put(0x2B)
    default:
      put(0x25)
      for digit in [byte >> 4, byte & 0xF] { put(digit < 10 ? 0x30 + digit : 0x37 + digit) }
    }
  }
}
