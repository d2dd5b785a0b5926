internal import JOSE

/// Bytes as apps send them: base64url without padding, or the base64 with `+`, `/` and padding that the platforms' own calls give
/// (RFC 4648 4 and 5).
enum AttestationText {
  static func decode(_ text: String) -> [UInt8]? {
    var letters = Array(text.utf8)
    while letters.last == UInt8(ascii: "=") { letters.removeLast() }
    for (index, letter) in letters.enumerated() {
      if letter == UInt8(ascii: "+") { letters[index] = UInt8(ascii: "-") }
      if letter == UInt8(ascii: "/") { letters[index] = UInt8(ascii: "_") }
    }
    return Base64URL.decode(String(decoding: letters, as: UTF8.self))
  }

  static func encode(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
}
