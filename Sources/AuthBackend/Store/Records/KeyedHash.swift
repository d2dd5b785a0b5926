/// What is stored of a secret that a client holds: HMAC-SHA256 (RFC 2104) of its bytes under one of the server's peppers.
public struct KeyedHash: Hashable, Sendable {
  /// Which pepper it was made with.
  public let pepper: Int64
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// A hash that was made with a pepper.
  public init(pepper: Int64, bytes: [UInt8]) {
    self.pepper = pepper
    self.bytes = bytes
  }
}
