internal import Basics
internal import HTTPClient
internal import SecureMemory
internal import StrategyWire

/// The answer to a host call.
struct Reply {
  /// A value of an answer.
  enum Value {
    case text(String)
    /// Bytes that become a text of the plugin's, such as what a person typed.
    case secretText(SecureBox)
    case bytes(SecureBox)
    case integer(Int64)
    case boolean(Bool)
    case instant(Timestamp)
    case secret(UInt64)
    case list([(name: String, value: Value)])
    case headers(HTTPResponse)
    case body(HTTPResponse)
  }

  let status: HostStatus
  let fields: [(name: String, value: Value)]

  /// An answer that is as the call describes it.
  static func ok(_ fields: (String, Value)...) -> Reply {
    Reply(status: .ok, fields: fields.map { (name: $0.0, value: $0.1) })
  }

  /// An answer that says why not.
  static func no(_ status: HostStatus, _ message: String) -> Reply {
    Reply(status: status, fields: [("message", .text(message))])
  }

  /// The frame of the answer to the request of an id, in the wire format. Throws ``FailureCode/inputOutput`` when memory
  /// runs out.
  func frame(id: UInt32) throws(Failure) -> SecureBox {
    let body = try SecureWriter(limit: WireLimit.frame)
    try body.integer(WireKind.response)
    try body.integer(id)
    try body.integer(status.rawValue)
    try body.integer(UInt16(fields.count))
    for field in fields { try body.field(field.name, field.value) }
    guard !body.isFull else {
      return try Reply.no(.tooLarge, "the answer does not fit one message").frame(id: id)
    }
    let frame = try SecureWriter(limit: WireLimit.frame + 4)
    try frame.integer(UInt32(body.count))
    try frame.append(body)
    return SecureBox(try frame.contents())
  }
}

/// Writes the wire format into guarded memory.
final class SecureWriter {
  private let buffer: SecureBuffer
  /// Whether something did not fit.
  private(set) var isFull = false
  var count: Int { buffer.count }

  init(limit: Int) throws(Failure) { buffer = try SecureBuffer(limit: limit) }

  func contents() throws(Failure) -> SecureBytes { try buffer.contents() }

  func integer(_ value: some FixedWidthInteger) throws(Failure) {
    let failure: Failure? = unsafe withUnsafeBytes(of: value.littleEndian) { bytes in
      do throws(Failure) {
        try unsafe append(bytes)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    if try unsafe !buffer.append(bytes) { isFull = true }
  }

  func append(_ other: SecureWriter) throws(Failure) {
    try unsafe other.buffer.withBytes { bytes throws(Failure) in try unsafe append(bytes) }
  }

  func field(_ name: String, _ value: Reply.Value) throws(Failure) {
    try self.name(name)
    switch value {
    case .text(let text): try block(1, SecureBox(try SecureBytes(publicText: text)))
    case .secretText(let text): try block(1, text)
    case .bytes(let bytes): try block(2, bytes)
    case .integer(let number): try number64(3, UInt64(bitPattern: number))
    case .boolean(let flag):
      try integer(UInt8(4))
      try integer(UInt32(1))
      try integer(UInt8(flag ? 1 : 0))
    case .instant(let time): try number64(5, UInt64(bitPattern: time.seconds))
    case .secret(let handle): try number64(6, handle)
    case .list(let fields): try list(fields)
    case .headers(let response): try headers(response)
    case .body(let response): try unsafe response.body.withBytes { bytes throws(Failure) in try unsafe block(2, bytes) }
    }
  }

  private func list(_ fields: [(name: String, value: Reply.Value)]) throws(Failure) {
    let inner = try SecureWriter(limit: WireLimit.frame)
    for field in fields.prefix(WireLimit.fields) { try inner.field(field.name, field.value) }
    try integer(UInt8(7))
    try integer(UInt32(inner.count + 2))
    try integer(UInt16(min(fields.count, WireLimit.fields)))
    try append(inner)
    if inner.isFull || fields.count > WireLimit.fields { isFull = true }
  }

  private func name(_ name: String) throws(Failure) {
    try integer(UInt16(clamping: name.utf8.count))
    if try !buffer.append(publicText: name) { isFull = true }
  }

  private func number64(_ kind: UInt8, _ value: UInt64) throws(Failure) {
    try integer(kind)
    try integer(UInt32(8))
    try integer(value)
  }

  private func block(_ kind: UInt8, _ bytes: SecureBox) throws(Failure) {
    try unsafe bytes.bytes.withBytes { bytes throws(Failure) in try unsafe block(kind, bytes) }
  }

  private func block(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) throws(Failure) {
    try integer(kind)
    try integer(UInt32(clamping: bytes.count))
    try unsafe append(bytes)
  }

  // The texts of the wire are UTF-8, header values need not be: those that are not plain ASCII are left out.
  private func headers(_ response: HTTPResponse) throws(Failure) {
    let names = response.names
    let inner = try SecureWriter(limit: WireLimit.frame)
    var count = 0
    for index in names.indices where count < WireLimit.fields {
      let added = try unsafe response.withValue(at: index) { value throws(Failure) in
        guard unsafe value.allSatisfy({ $0 == 0x09 || (0x20..<0x7F).contains($0) }) else { return false }
        try inner.name(names[index].lowercased())
        try unsafe inner.block(1, value)
        return true
      }
      if added == true { count += 1 }
    }
    try integer(UInt8(7))
    try integer(UInt32(inner.count + 2))
    try integer(UInt16(count))
    try append(inner)
    if inner.isFull { isFull = true }
  }
}
