internal import Basics
internal import CSodium
internal import SecureMemory
internal import StrategyWire

// The calls that make secrets of secrets.
extension HostCalls {
  /// Keeps a secret of this side's and returns its number.
  func keep(_ secret: SecureBox) throws(CallEnd) -> UInt64 {
    try fatally { () throws(Failure) in try secrets.add(secret) }
  }

  /// The secret that a plugin names.
  func secret(_ handle: UInt64) throws(CallEnd) -> SecureBox {
    guard let secret = secrets[handle] else { throw .status(.badArgument, "there is no secret \(handle)") }
    return secret
  }

  func newSecret(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard case .bytes(let bytes)? = request["bytes"], bytes.bytes.count <= StrategyLimits.secret else {
      throw .status(.badArgument, "`bytes` must be bytes, not more than \(StrategyLimits.secret)")
    }
    // A copy, since the bytes are a view of the whole message.
    let secret = try fatally { () throws(Failure) in SecureBox(try bytes.bytes.copy()) }
    return .ok(("secret", .secret(try keep(secret))))
  }

  func joinSecrets(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let parts = request.list("parts") else { throw .status(.badArgument, "`parts` must be a list") }
    let joined = try fatally { () throws(Failure) in try SecureBuffer(limit: StrategyLimits.secret) }
    for part in parts.fields { try append(part.value, to: joined) }
    return .ok(("secret", .secret(try keep(try contents(joined)))))
  }

  /// The value of an Authorization header as RFC 7617 has it: `Basic ` and the base64 of `identifier:password`.
  func basic(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let identifier = request["identifier"], case .secret(let handle)? = request["password"] else {
      throw .status(.badArgument, "`identifier` must be a text or a secret, `password` a secret")
    }
    let pair = try fatally { () throws(Failure) in try SecureBuffer(limit: StrategyLimits.secret / 2) }
    try append(identifier, to: pair)
    let hasColon = unsafe pair.withBytes { unsafe $0.contains(0x3A) }
    guard !hasColon else { throw .status(.badArgument, "a user name with a colon cannot be sent") }
    try append(.text(":"), to: pair)
    let password = try secret(handle)
    guard try fatally({ () throws(Failure) in try pair.append(password.bytes) }) else {
      throw .status(.badArgument, "the credentials are too long")
    }
    let encoded = try fatally { () throws(Failure) in SecureBox(try base64(pair)) }
    secrets.hide(encoded)
    let header = try fatally { () throws(Failure) in try SecureBuffer(limit: StrategyLimits.secret) }
    try append(.text("Basic "), to: header)
    _ = try fatally { () throws(Failure) in try header.append(encoded.bytes) }
    return .ok(("secret", .secret(try keep(try contents(header)))))
  }

  func append(_ value: PluginValue, to buffer: SecureBuffer) throws(CallEnd) {
    let fits: Bool
    switch value {
    case .text(let text): fits = try fatally { () throws(Failure) in try buffer.append(publicText: text) }
    case .secret(let handle):
      let part = try secret(handle)
      fits = try fatally { () throws(Failure) in try buffer.append(part.bytes) }
    default: throw .status(.badArgument, "a part is neither a text nor a secret")
    }
    guard fits else { throw .status(.badArgument, "the parts are too long") }
  }

  func contents(_ buffer: SecureBuffer) throws(CallEnd) -> SecureBox {
    try fatally { () throws(Failure) in SecureBox(try buffer.contents()) }
  }

  /// Base64 (RFC 4648 4) by libsodium, in a time that does not depend on the bytes.
  private func base64(_ buffer: SecureBuffer) throws(Failure) -> SecureBytes {
    // What sodium_base64_ENCODED_LEN counts, its NUL included.
    let size = (buffer.count + 2) / 3 * 4 + 1
    let encoded = try SecureBytes(count: size)
    unsafe buffer.withBytes { bytes in
      unsafe encoded.withMutableBytes { target in
        guard let out = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        unsafe sodium_bin2base64(
          out, size, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
          Int32(sodium_base64_VARIANT_ORIGINAL))
      }
    }
    return try encoded.prefix(size - 1)
  }
}
