public import Basics
internal import CSodium
public import SecureMemory

extension Gateway {
  /// A random password of 24 characters of base64url: 144 bits. Throws ``FailureCode/inputOutput`` when memory runs out.
  public static func randomPassword() throws(Failure) -> SecureBytes {
    let random = try SecureBytes.random(count: 18)
    // One more for the zero byte that the encoder writes at the end.
    let text = try SecureBytes(count: 25)
    unsafe random.withBytes { source in
      unsafe text.withMutableBytes { out in
        guard let place = unsafe out.baseAddress?.assumingMemoryBound(to: CChar.self),
          let bytes = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        unsafe sodium_bin2base64(place, out.count, bytes, source.count, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
      }
    }
    return try text.prefix(24)
  }
}
