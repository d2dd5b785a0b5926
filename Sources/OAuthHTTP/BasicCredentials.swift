internal import CSodium
public import HTTPServer
public import SecureMemory

/// Name and password of an `Authorization: Basic` field (RFC 7617), as Sync Gateway takes it: the word is written just so,
/// and what cannot be decoded or has no name counts as absent.
public struct BasicCredentials {
  /// The name, not empty.
  public let name: String
  /// The password, which may be empty.
  public let password: SecureBox

  /// Reads a request; nil when it brings none. With `anyCase` the word may be written in any case (RFC 7617 2).
  public init?(_ request: ServerRequest, anyCase: Bool = false) {
    guard let field = request.headers.first("Authorization"),
      field.hasPrefix("Basic ") || anyCase && field.prefix(6).lowercased() == "basic "
    else { return nil }
    let encoded = Array(field.utf8.dropFirst(6))
    guard let decoded = try? SecureBytes(count: encoded.count) else { return nil }
    var length = 0
    let isDecoded = unsafe decoded.withMutableBytes { out in
      unsafe encoded.withUnsafeBytes { text in
        guard let place = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self),
          let source = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self)
        else { return false }
        return unsafe sodium_base642bin(
          place, out.count, source, text.count, nil, &length, nil, sodium_base64_VARIANT_ORIGINAL) == 0
      }
    }
    guard isDecoded, length <= decoded.count else { return nil }
    var name = ""
    let password = unsafe decoded.withBytes { bytes -> SecureBox? in
      let bytes = unsafe bytes[..<length]
      guard let colon = unsafe bytes.firstIndex(of: 0x3A) else { return nil }
      unsafe name = String(decoding: bytes[..<colon], as: UTF8.self)
      guard let secret = try? unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(colon + 1)...]))
      else {
        return nil
      }
      return SecureBox(secret)
    }
    guard let password, !name.isEmpty else { return nil }
    self.name = name
    self.password = password
  }
}
