/// A text as forms encode it (`+` for a blank, `%` escapes), decoded; nil when it is no such text. RFC 6749 2.3.1 has a client's id
/// encoded so before it becomes the name of `Basic`.
public func formDecoded(_ text: String) -> String? {
  var decoded: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    switch byte {
    case 0x2B: decoded.append(0x20)
    case 0x25:
      guard let high = rest.popFirst().flatMap(FormFields.hexadecimal),
        let low = rest.popFirst().flatMap(FormFields.hexadecimal)
      else { return nil }
      decoded.append(high << 4 | low)
    default: decoded.append(byte)
    }
  }
  return String(validating: decoded, as: UTF8.self)
}
