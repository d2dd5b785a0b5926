public import HTTPServer
public import SecureMemory

/// The fields of a form (`application/x-www-form-urlencoded`). Passwords, codes and tokens are among them, so the decoded
/// bytes are wiped when the form ends, and passwords leave it for guarded memory.
public struct FormFields: Sendable {
  /// Why a body is no form.
  public enum Fault: Error, Equatable {
    /// It is of another media type.
    case mediaType
    /// A percent sign begins no escape, or a name or a value is not UTF-8, or has a NUL.
    case encoding
    /// It has more fields than are read.
    case tooMany
    /// Memory ran out.
    case memory
  }

  private let bytes: WipedBytes
  private let fields: [(name: String, value: Range<Int>)]

  /// Reads a body, whose media type may have parameters (RFC 9110 8.3.1). Fields without a value are kept; `limit` is how many
  /// there may be.
  public init(_ request: ServerRequest, limit: Int = 1_000) throws(Fault) {
    guard FormFields.isForm(request.headers.first("Content-Type") ?? "") else { throw .mediaType }
    guard let bytes = WipedBytes(count: request.body.count) else { throw .memory }
    guard let parts = unsafe request.body.withBytes({ unsafe FormFields.decode($0, into: bytes.buffer) }) else {
      throw .encoding
    }
    guard parts.count <= limit else { throw .tooMany }
    var fields: [(name: String, value: Range<Int>)] = []
    fields.reserveCapacity(parts.count)
    for part in parts {
      guard let name = bytes.text(part.name), bytes.isText(part.value),
        !bytes.hasZero(part.name.lowerBound..<part.value.upperBound)
      else { throw .encoding }
      fields.append((name, part.value))
    }
    self.bytes = bytes
    self.fields = fields
  }

  private static let mediaType = "application/x-www-form-urlencoded"

  private static func isForm(_ type: String) -> Bool {
    // What nearly everybody sends.
    if type == mediaType { return true }
    let type = type.split(separator: ";").first.map { $0.lowercased() } ?? ""
    return type.split(separator: " ") == [mediaType[...]]
  }

  /// Whether a field is there and not empty.
  public func has(_ name: String) -> Bool { value(name) != nil }

  /// A field as a text that nobody wipes, so no password and no client's secret; nil when it is not there or empty (RFC 6749 3.1: as if
  /// it were omitted). Codes, verifiers and tokens are read so where a server made them and is shown them once.
  public func text(_ name: String) -> String? { value(name).flatMap { bytes.text($0) } }

  /// A secret, such as a password, in guarded memory; nil when it is not there or empty, or memory ran out.
  public func secret(_ name: String) -> SecureBox? {
    guard let range = value(name),
      let secret = try? unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.buffer[range]))
    else { return nil }
    return SecureBox(secret)
  }

  /// Lends a field's bytes, which must not be kept; nil when it is not there or empty.
  public func withBytes<R>(_ name: String, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
    value(name).map { unsafe body(UnsafeRawBufferPointer(rebasing: bytes.buffer[$0])) }
  }

  /// Names and texts of what is no password.
  public var publicItems: [(name: String, value: String)] {
    fields.filter { $0.name != "password" }.map { ($0.name, bytes.text($0.value) ?? "") }
  }

  /// The name of a field that stands more than once, which OAuth forbids (RFC 6749 3.2).
  public var repeated: String? {
    // Most forms are small, and then looking at each before is less work than a set.
    guard fields.count > 16 else {
      return fields.indices.first { place in fields[..<place].contains { $0.name == fields[place].name } }
        .map { fields[$0].name }
    }
    var seen: Set<String> = []
    return fields.first { !seen.insert($0.name).inserted }?.name
  }

  private func value(_ name: String) -> Range<Int>? {
    fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer
  ) -> [(name: Range<Int>, value: Range<Int>)]? {
    var parts: [(name: Range<Int>, value: Range<Int>)] = []
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
        guard index + 2 <= bytes.count, let escaped = unsafe PercentEncoding.byte(bytes[index], bytes[index + 1])
        else { return nil }
        byte = escaped
        index += 2
      default: break
      }
      unsafe out[length] = byte
      length += 1
    }
    finish()
    return parts
  }
}
