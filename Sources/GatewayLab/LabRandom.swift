internal import CSodium

/// Random bytes from the system's generator.
func randomBytes(_ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  unsafe randombytes_buf(&bytes, bytes.count)
  return bytes
}
