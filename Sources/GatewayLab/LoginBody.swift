internal import Basics
internal import HTTPServer
internal import SecureMemory

/// `{"name":...,"password":...}`, the body of `POST _session`, read as Sync Gateway's Community Edition reads it: names
/// without regard to case, the last of two equal ones, unknown ones refused, and nothing after the object looked at.
/// The password goes from the body straight into guarded memory.
struct LoginBody {
  private static let typeName = #"struct { Name string "json:\"name\""; Password string "json:\"password\"" }"#

  let name: String
  let password: SecureBox

  init(_ request: ServerRequest) throws(GatewayError) {
    if let type = request.headers.first("Content-Type"), !type.isEmpty, !type.hasPrefix("application/json") {
      throw GatewayError(400, "Bad JSON: 415 Invalid content type \(type) - expected application/json")
    }
    let result = unsafe request.body.withBytes { unsafe LoginBody.read($0) }
    switch result {
    case .success(let body): self = body
    case .failure(let error): throw error
    }
  }

  private init(name: String, password: SecureBox) {
    self.name = name
    self.password = password
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) -> Result<LoginBody, GatewayError> {
    var name: Range<Int>?
    var password: Range<Int>?
    // The text's own errors come before those of its meaning; of these the first is told.
    var complaint: String?
    var scanner = unsafe JSONScanner(bytes)
    guard scanner.peek() != nil else { return .failure(GatewayError(400, "Bad JSON: EOF")) }
    do throws(JSONScanner.Complaint) {
      guard scanner.peek() == 0x7B else {
        let kind = try scanner.skipValue()
        guard kind != .null else { return unsafe make(bytes, nil, nil) }
        return bad("Bad JSON: json: cannot unmarshal \(kind.rawValue) into Go value of type \(typeName)")
      }
      _ = try scanner.next()
      try scanner.members { (scanner, key) throws(JSONScanner.Complaint) in
        let word = unsafe text(bytes, key)
        _ = scanner.peek()
        let start = scanner.index
        let kind = try scanner.skipValue()
        let inside = start + 1..<max(start + 1, scanner.index - 1)
        switch (word.lowercased(), kind) {
        case ("name", .string): name = inside
        case ("password", .string): password = inside
        case ("name", .null), ("password", .null): break
        case ("name", _), ("password", _):
          complaint =
            complaint
            ?? "Bad JSON: json: cannot unmarshal \(kind.rawValue) into Go struct field .\(word.lowercased()) of type string"
        default:
          complaint =
            complaint ?? "JSON Unknown Field: json: unknown field \(quotedAsGo(word)): unrecognized JSON field"
        }
      }
    } catch {
      return bad("Bad JSON: \(error.text)")
    }
    if let complaint { return bad(complaint) }
    return unsafe make(bytes, name, password)
  }

  private static func bad(_ reason: String) -> Result<LoginBody, GatewayError> { .failure(GatewayError(400, reason)) }

  private static func make(
    _ bytes: UnsafeRawBufferPointer, _ name: Range<Int>?, _ password: Range<Int>?
  ) -> Result<LoginBody, GatewayError> {
    let name = name.map { unsafe text(bytes, $0) } ?? ""
    guard let secret = unsafe unescaped(bytes, password ?? 0..<0) else {
      return .failure(GatewayError(500, "Internal error: out of memory"))
    }
    return .success(LoginBody(name: name, password: SecureBox(secret)))
  }

  private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
    guard let decoded = unsafe unescaped(bytes, range) else { return "" }
    return unsafe decoded.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes that the inside of a string means. Escapes never become longer, so one allocation is enough.
  private static func unescaped(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> SecureBytes? {
    guard let out = try? SecureBytes(count: range.count) else { return nil }
    let count = unsafe out.withMutableBytes { out in
      var length = 0
      var index = range.lowerBound
      func unit() -> UInt16? {
        guard index + 6 <= range.upperBound, unsafe bytes[index] == 0x5C, unsafe bytes[index + 1] == 0x75 else {
          return nil
        }
        return unsafe bytes[(index + 2)..<(index + 6)].reduce(UInt16(0)) { $0 << 4 | (hexValue($1) ?? 0) }
      }
      func put(_ byte: UInt8) {
        unsafe out[length] = byte
        length += 1
      }
      while index < range.upperBound {
        if let first = unit() {
          index += 6
          var scalar = Unicode.Scalar(first)
          if UTF16.isLeadSurrogate(first), let second = unit(), UTF16.isTrailSurrogate(second) {
            index += 6
            scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
          }
          for byte in UTF8.encode(scalar ?? "\u{FFFD}").map(Array.init) ?? [] { put(byte) }
        } else if unsafe bytes[index] == 0x5C, index + 1 < range.upperBound {
          unsafe put(plain(bytes[index + 1]))
          index += 2
        } else {
          unsafe put(bytes[index])
          index += 1
        }
      }
      return length
    }
    return try? out.prefix(count)
  }

  private static func plain(_ escape: UInt8) -> UInt8 {
    switch escape {
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: escape
    }
  }
}
