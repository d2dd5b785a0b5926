internal import Basics
internal import CSodium
internal import JOSE
internal import SecureMemory

extension IDTokenDraft {
  /// The token as a text.
  func text(by key: SigningKey, _ fault: ProviderFault.Kind?) throws(Failure) -> String {
    var payload = JSONValue.object(claims).text
    // JSON that says a thing twice is read in two ways by two readers.
    if fault == .duplicateMembers { payload = #"{"sub":"mallory","# + payload.dropFirst() }
    switch fault {
    case .algorithmNone: return IDTokenDraft.unsigned("none", key, payload) + "."
    case .algorithmHMAC:
      let signed = IDTokenDraft.unsigned("HS256", key, payload)
      return signed + "." + Base64URL.encode(IDTokenDraft.hmac(signed, secret: key.publicKey.pem ?? ""))
    case .wrongSignature:
      // With the right length, so that it is the numbers that are wrong.
      let right = try IDTokenDraft.sign(payload, key)
      guard let dot = right.lastIndex(of: ".") else { return right }
      let length = Base64URL.decode(String(right[right.index(after: dot)...]))?.count ?? 64
      return String(right[...dot]) + Base64URL.encode(randomBytes(length))
    case .noKeyID: return try IDTokenDraft.sign(payload, key, namesKey: false)
    case .unknownKeyID:
      return try IDTokenDraft.sign(
        payload, key, namesKey: false, extra: [.init("kid", .string(Hexadecimal.encode(randomBytes(8))))])
    default: return try IDTokenDraft.sign(payload, key)
    }
  }

  private static func sign(
    _ payload: String, _ key: SigningKey, namesKey: Bool = true, extra: [JSONValue.Member] = []
  ) throws(Failure) -> String {
    let token = try key.sign(Array(payload.utf8), namesKey: namesKey, extra: extra)
    guard let text = token.publicText() else { throw Failure(.bug, "a token is not text") }
    return text
  }

  private static func unsigned(_ algorithm: String, _ key: SigningKey, _ payload: String) -> String {
    var header: [JSONValue.Member] = [.init("alg", .string(algorithm)), .init("typ", "JWT")]
    if algorithm != "none" { header.append(.init("kid", .optional(key.publicKey.id))) }
    return Base64URL.encode(Array(JSONValue.object(header).text.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
  }

  private static func hmac(_ text: String, secret: String) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var mac = [UInt8](repeating: 0, count: 32)
    let secret = Array(secret.utf8), bytes = Array(text.utf8)
    _ = unsafe crypto_auth_hmacsha256_init(&state, secret, secret.count)
    _ = unsafe crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    _ = unsafe crypto_auth_hmacsha256_final(&state, &mac)
    return mac
  }
}
