internal import JOSE

/// Base64 in either alphabet, with padding or without (RFC 4648 4 and 5): apps send what the calls of their platform give, and a password's
/// hash has the one with `+` and `/`.
enum AnyBase64 {
  /// The bytes that a text means; nil when it is not base64.
  static func decode(_ text: String) -> [UInt8]? {
    var letters = Array(text.utf8)
    while letters.last == UInt8(ascii: "=") { letters.removeLast() }
    for (index, letter) in letters.enumerated() {
      if letter == UInt8(ascii: "+") { letters[index] = UInt8(ascii: "-") }
      if letter == UInt8(ascii: "/") { letters[index] = UInt8(ascii: "_") }
    }
    return Base64URL.decode(String(decoding: letters, as: UTF8.self))
  }
}
