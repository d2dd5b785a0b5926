public import Basics
public import SecureMemory

extension SigningKey {
  /// The private key as PKCS #8 in PEM, not encrypted. Throws when memory runs out.
  public func pem() throws(Failure) -> SecureBytes {
    guard let pem = material.privatePEM else { throw Failure(.inputOutput, "cannot write the private key") }
    return pem
  }

  /// The private key as JSON (RFC 7517), with all that ``init(json:algorithm:)`` reads. Throws when memory runs out.
  public func json() throws(Failure) -> SecureBytes {
    let secrets: [(jwk: String, ours: String)] =
      switch publicKey.type {
      case .rsa:
        [
          ("d", "d"), ("p", "rsa-factor1"), ("q", "rsa-factor2"), ("dp", "rsa-exponent1"), ("dq", "rsa-exponent2"),
          ("qi", "rsa-coefficient1"),
        ]
      case .p256: [("d", "priv")]
      case .ed25519: [("d", "")]
      }
    let text = try SecureBuffer(limit: 16 << 10)
    // The public half without its closing brace.
    try text.append(publicText: String(publicKey.json.text.dropLast()))
    for (name, ours) in secrets {
      guard let number = secret(ours) else { throw Failure(.inputOutput, "cannot take out the private key") }
      try text.append(publicText: ",\"\(name)\":\"")
      try text.append(try unsafe number.withBytes { bytes throws(Failure) in try unsafe Base64URL.encodeSecret(bytes) })
      try text.append(publicText: "\"")
    }
    try text.append(publicText: "}")
    return try text.contents()
  }

  private func secret(_ name: String) -> SecureBytes? {
    switch publicKey.type {
    case .rsa: material.secretNumber(name)
    case .p256: material.secretNumber(name, width: 32)
    case .ed25519: material.rawPrivateKey
    }
  }
}
