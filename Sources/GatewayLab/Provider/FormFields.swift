internal import HTTPServer
internal import SecureMemory

/// The fields of a form (`application/x-www-form-urlencoded`). They are decoded in guarded memory, because passwords, codes
/// and tokens are among them; only what is no secret is taken out as a text.
struct FormFields {
  private let fields: [(name: String, value: SecureBox)]

  /// Reads a body. Throws `invalid_request` when it is no such form.
  init(_ request: ServerRequest) throws(OAuthError) {
    let type = (request.headers.first("Content-Type") ?? "").split(separator: ";").first.map { $0.lowercased() }
    guard type == "application/x-www-form-urlencoded" else {
      throw .invalidRequest("the body is no form (application/x-www-form-urlencoded)")
    }
    guard let fields = unsafe request.body.withBytes({ unsafe FormFields.read($0) }) else {
      throw .invalidRequest("the form cannot be decoded")
    }
    self.fields = fields
  }

  /// A field that is no secret; nil when it is not there, empty, or not UTF-8.
  func text(_ name: String) -> String? {
    guard let text = fields.first(where: { $0.name == name })?.value.bytes.publicText(), !text.isEmpty else {
      return nil
    }
    return text
  }

  /// A secret; nil when it is not there or empty.
  func secret(_ name: String) -> SecureBox? {
    fields.first { $0.name == name }.flatMap { $0.value.bytes.count == 0 ? nil : $0.value }
  }

  /// Names and texts of what is no password.
  var publicItems: [(name: String, value: String)] {
    fields.filter { $0.name != "password" }.map { ($0.name, $0.value.bytes.publicText() ?? "") }
  }

  /// Throws `invalid_request` when a field stands twice (RFC 6749 3.2).
  func checkOnce() throws(OAuthError) {
    guard Set(fields.map(\.name)).count == fields.count else { throw .invalidRequest("a parameter stands twice") }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) -> [(name: String, value: SecureBox)]? {
    guard let whole = try? SecureBytes(count: bytes.count) else { return nil }
    var parts: [(name: Range<Int>, value: Range<Int>)] = []
    let isValid = unsafe whole.withMutableBytes { out in
      var length = 0, start = 0, index = 0
      var nameEnd: Int?
      func finish() {
        if length > start { parts.append((start..<(nameEnd ?? length), (nameEnd ?? length)..<length)) }
        start = length
        nameEnd = nil
      }
      while index < bytes.count {
        var byte = unsafe bytes[index]
        index += 1
        switch byte {
        case 0x26:
          finish()
          continue
        case 0x3D where nameEnd == nil:
          nameEnd = length
          continue
        case 0x2B: byte = 0x20
        case 0x25:
          guard index + 2 <= bytes.count, let high = unsafe hexValue(bytes[index]),
            let low = unsafe hexValue(bytes[index + 1])
          else { return false }
          byte = UInt8(truncatingIfNeeded: high << 4 | low)
          index += 2
        default: break
        }
        unsafe out[length] = byte
        length += 1
      }
      finish()
      return true
    }
    guard isValid else { return nil }
    let box = SecureBox(whole)
    var fields: [(name: String, value: SecureBox)] = []
    for part in parts {
      guard let name = try? SecureBytes(viewing: box, part.name), let text = name.publicText(),
        let value = try? SecureBytes(viewing: box, part.value)
      else { return nil }
      fields.append((text, SecureBox(value)))
    }
    return fields
  }
}
