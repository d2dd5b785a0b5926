public import SecureMemory

/// An HTTP response. Headers and body stay in guarded memory, because a `Set-Cookie` or a token answer is a secret.
public final class HTTPResponse {
  /// The status code, 100...999.
  public let status: Int
  /// The names of the header fields in the order they came; a name that came twice stands twice.
  public var names: [String] { fields.map(\.name) }
  /// The body, as it was sent (no content coding is asked for).
  public let body: SecureBytes

  private let block: SecureBytes
  private let fields: [HeaderField]

  init(status: Int, block: consuming SecureBytes, fields: [HeaderField], body: consuming SecureBytes) {
    self.status = status
    self.block = block
    self.fields = fields
    self.body = body
  }

  /// The first value of a field that is not secret, such as `Location` or `Retry-After`, without outer blanks; bytes
  /// that are not UTF-8 become U+FFFD. Nil when it did not come. Names are compared without regard to case.
  public func text(_ name: String) -> String? {
    guard let field = fields.first(where: { $0.matches(name) }) else { return nil }
    return unsafe block.withBytes { bytes in unsafe String(decoding: bytes[field.value], as: UTF8.self) }
  }

  /// How many fields there are.
  public var fieldCount: Int { fields.count }

  /// Lends the value of the field at an index of ``names``, without outer blanks; nil when there is none.
  public func withValue<R, E: Error>(at index: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R? {
    guard fields.indices.contains(index) else { return nil }
    let range = fields[index].value
    return try unsafe block.withBytes { bytes throws(E) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  /// The indexes of the fields of a name, in order.
  public func indexes(of name: String) -> [Int] { fields.indices.filter { fields[$0].matches(name) } }
}

/// Where a header field's value stands in the header block.
struct HeaderField {
  let name: String
  let value: Range<Int>

  func matches(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}
