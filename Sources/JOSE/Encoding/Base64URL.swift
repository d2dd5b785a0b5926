public import Basics
public import SecureMemory

/// Base64url without padding (RFC 4648 5, RFC 7515 2), read strictly: no padding, no line ends, no other alphabet,
/// and the bits that a last character has left over must be zero, so that bytes have one text only.
public enum Base64URL {
  /// The bytes that a text means; nil when it is not base64url.
  public static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let count = decodedCount(text.count) else { return nil }
    var isValid = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      isValid = unsafe decode(text, into: UnsafeMutableRawBufferPointer(buffer))
      initialized = isValid ? count : 0
    }
    return isValid ? bytes : nil
  }

  /// The same for a string.
  public static func decode(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    return unsafe bytes.withUnsafeBytes { unsafe decode($0) }
  }

  /// The same for a secret; nil when it is not base64url, or memory runs out.
  public static func decodeSecret(_ text: UnsafeRawBufferPointer) -> SecureBytes? {
    guard let count = decodedCount(text.count), let bytes = try? SecureBytes(count: count) else { return nil }
    let isValid = unsafe bytes.withMutableBytes {
      unsafe decode(text, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<count]))
    }
    guard isValid else { return nil }
    return bytes
  }

  /// The text of bytes.
  public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    unsafe encode(bytes) { text.append($0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text of bytes.
  public static func encode(_ bytes: [UInt8]) -> String { unsafe bytes.withUnsafeBytes { unsafe encode($0) } }

  /// Writes the text of bytes that are no secret, such as the claims of a token: a table is read where they say. Returns how long it
  /// is; nothing is written where there is no room for it.
  public static func encode(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
    let length = encodedCount(bytes.count)
    guard target.count >= length, let source = bytes.baseAddress, let text = target.baseAddress else { return 0 }
    let whole = bytes.count / 3
    alphabet.withUTF8Buffer { alphabet in
      guard let letters = alphabet.baseAddress else { return }
      func put(_ bits: UInt32, _ place: Int, _ shift: UInt32) {
        unsafe text.storeBytes(of: letters[Int(bits >> shift & 63)], toByteOffset: place, as: UInt8.self)
      }
      func byte(_ place: Int) -> UInt32 { unsafe UInt32(source.load(fromByteOffset: place, as: UInt8.self)) }
      for group in 0..<whole {
        let bits = byte(3 * group) << 16 | byte(3 * group + 1) << 8 | byte(3 * group + 2)
        put(bits, 4 * group, 18)
        put(bits, 4 * group + 1, 12)
        put(bits, 4 * group + 2, 6)
        put(bits, 4 * group + 3, 0)
      }
      let rest = bytes.count - 3 * whole
      guard rest > 0 else { return }
      let bits = byte(3 * whole) << 16 | (rest == 2 ? byte(3 * whole + 1) << 8 : 0)
      put(bits, 4 * whole, 18)
      put(bits, 4 * whole + 1, 12)
      if rest == 2 { put(bits, 4 * whole + 2, 6) }
    }
    return length
  }

  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// The text of a secret, in guarded memory. Throws when memory runs out.
  public static func encodeSecret(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> SecureBytes {
    let text = try SecureBytes(count: encodedCount(bytes.count))
    unsafe text.withMutableBytes { target in
      var at = 0
      unsafe encode(bytes) {
        unsafe target[at] = $0
        at += 1
      }
    }
    return text
  }

  /// How long the text of so many bytes is.
  static func encodedCount(_ count: Int) -> Int { count / 3 * 4 + [0, 2, 3][count % 3] }

  // One character alone has no whole byte.
  private static func decodedCount(_ count: Int) -> Int? {
    count % 4 == 1 ? nil : count / 4 * 3 + [0, 0, 1, 2][count % 4]
  }

  // `target` has exactly the decoded count.
  private static func decode(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    var bits: UInt32 = 0
    var held = 0
    var at = 0
    for index in 0..<text.count {
      guard let value = unsafe value(text[index]) else { return false }
      bits = bits << 6 | UInt32(value)
      held += 6
      guard held >= 8 else { continue }
      held -= 8
      unsafe target[at] = UInt8(truncatingIfNeeded: bits >> UInt32(held))
      at += 1
      bits &= 1 << UInt32(held) - 1
    }
    return bits == 0
  }

  private static func encode(_ bytes: UnsafeRawBufferPointer, _ put: (UInt8) -> Void) {
    var bits: UInt32 = 0
    var held = 0
    for index in 0..<bytes.count {
      bits = unsafe bits << 8 | UInt32(bytes[index])
      held += 8
      while held >= 6 {
        held -= 6
        put(character(UInt8(truncatingIfNeeded: bits >> UInt32(held) & 63)))
      }
      bits &= 1 << UInt32(held) - 1
    }
    if held > 0 { put(character(UInt8(truncatingIfNeeded: bits << UInt32(6 - held) & 63))) }
  }

  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte - 0x41
    case 0x61...0x7A: byte - 0x61 + 26
    case 0x30...0x39: byte - 0x30 + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }

  private static func character(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: value + 0x41
    case 26..<52: value - 26 + 0x61
    case 52..<62: value - 52 + 0x30
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }
}
