internal import Basics
internal import SecureMemory

/// The JSON object `{"name":...,"encoding":"utf8|base64","value":...}` of a secret, made in guarded memory.
enum SecretDocument {
  /// The object and a line end. The value is text when it is UTF-8, else base64 (RFC 4648 section 4).
  static func make(_ value: borrowing SecureBytes, label: String, name: String) throws(Failure) -> SecureBytes {
    let isText = unsafe value.withBytes { unsafe isUTF8($0) }
    let head: JSONValue = [label: .string(name), "encoding": isText ? "utf8" : "base64"]
    let before = Array(head.text.utf8.dropLast()) + Array(#","value":""#.utf8)
    let after = Array("\"}\n".utf8)
    let size = unsafe value.withBytes { bytes in
      isText ? unsafe bytes.reduce(0) { $0 + escapedSize($1) } : (bytes.count + 2) / 3 * 4
    }
    let document = try SecureBytes(count: before.count + size + after.count)
    unsafe document.withMutableBytes { out in
      var offset = 0
      func put(_ byte: UInt8) {
        unsafe out[offset] = byte
        offset += 1
      }
      before.forEach(put)
      unsafe value.withBytes { bytes in
        if isText { unsafe bytes.forEach { escape($0, put) } } else { unsafe base64(bytes, put) }
      }
      after.forEach(put)
    }
    return document
  }

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
    return (try? UTF8Span(validating: span).count) != nil
  }

  private static func escapedSize(_ byte: UInt8) -> Int {
    var size = 0
    escape(byte) { _ in size += 1 }
    return size
  }

  // RFC 8259 section 7; other bytes of UTF-8 stand for themselves.
  private static func escape(_ byte: UInt8, _ put: (UInt8) -> Void) {
    func pair(_ letter: UInt8) {
      put(0x5C)
      put(letter)
    }
    switch byte {
    case 0x22, 0x5C: pair(byte)
    case 0x0A: pair(0x6E)
    case 0x0D: pair(0x72)
    case 0x09: pair(0x74)
    case 0..<0x20, 0x7F:
      pair(0x75)
      put(0x30)
      put(0x30)
      put(hexDigit(byte >> 4))
      put(hexDigit(byte & 15))
    default: put(byte)
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  private static func base64(_ bytes: UnsafeRawBufferPointer, _ put: (UInt8) -> Void) {
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group: UInt32 = 0
      for step in 0..<3 { group = group << 8 | (step < count ? unsafe UInt32(bytes[index + step]) : 0) }
      for step in 0..<4 {
        put(step <= count ? base64Digit(UInt8(group >> (18 - 6 * UInt32(step)) & 63)) : 0x3D)
      }
      index += 3
    }
  }

  private static func base64Digit(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: 0x41 + value
    case 26..<52: 0x61 + value - 26
    case 52..<62: 0x30 + value - 52
    case 62: 0x2B
    default: 0x2F
    }
  }
}
