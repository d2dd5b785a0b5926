public import Basics
public import SecureMemory

extension SigningKey {
  /// Reads a private key as JSON (RFC 7517, RFC 7518 6.2.2 and 6.3.2, RFC 8037 2). RSA keys need `p`, `q`, `dp`, `dq`
  /// and `qi`. The algorithm is its `alg`, or the one given; `kid` names it, else its thumbprint. Throws
  /// ``FailureCode/configuration`` for what is no such key or whose halves do not belong together.
  public convenience init(json: borrowing SecureBytes, algorithm: JWSAlgorithm? = nil) throws(Failure) {
    let members: PrivateMembers = try unsafe json.withBytes { bytes throws(Failure) in try unsafe PrivateMembers(bytes)
    }
    let own = try unsafe json.withBytes { bytes throws(Failure) in unsafe try members.text("alg", of: bytes) }
    let id = try unsafe json.withBytes { bytes throws(Failure) in unsafe try members.text("kid", of: bytes) }
    let named = own.flatMap { JWSAlgorithm(named: $0) }
    if own != nil, named == nil || algorithm != nil && named != algorithm {
      throw Failure(.configuration, "the private key's 'alg' is another algorithm")
    }
    let material = try unsafe json.withBytes { bytes throws(Failure) in try unsafe members.material(bytes) }
    let usual: JWSAlgorithm? =
      switch material.type {
      case .rsa: .rs256
      case .p256: .es256
      case .ed25519: .edDSA
      case nil: nil
      }
    guard let algorithm = algorithm ?? named ?? usual, material.isConsistentPair else {
      throw Failure(.configuration, "the two halves of the private key do not belong together")
    }
    try self.init(material, algorithm, id: id)
  }
}

/// Where the members of a private key stand in its text.
private struct PrivateMembers {
  private let ranges: [String: Range<Int>]

  init(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    let found: [(name: String, value: Range<Int>)]
    do throws(JSONFault) {
      found = try unsafe JSONReader.members(bytes, maximumSize: 64 << 10, maximumDepth: 8)
    } catch { throw Failure(.configuration, "the private key cannot be read: \(error)") }
    ranges = Dictionary(found.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// A string that is no secret; nil when it is missing.
  func text(_ name: String, of bytes: UnsafeRawBufferPointer) throws(Failure) -> String? {
    guard let range = ranges[name] else { return nil }
    guard let value = try? unsafe JSONReader.value(UnsafeRawBufferPointer(rebasing: bytes[range])),
      let text = value.string
    else { throw Failure(.configuration, "the private key's '\(name)' is not a string") }
    return text
  }

  func material(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> EVPKey {
    let kind = try unsafe text("kty", of: bytes) ?? "", curve = try unsafe text("crv", of: bytes) ?? ""
    let made: EVPKey?
    if kind.isExactly("RSA") {
      made = try unsafe rsa(bytes)
    } else if kind.isExactly("EC"), curve.isExactly("P-256") {
      let x = try unsafe number("x", of: bytes), y = try unsafe number("y", of: bytes)
      made = try unsafe EVPKey.p256(x: x, y: y, secret: secret("d", of: bytes))
    } else if kind.isExactly("OKP"), curve.isExactly("Ed25519") {
      let x = try unsafe number("x", of: bytes)
      let key = try unsafe EVPKey.ed25519(secret: secret("d", of: bytes))
      made = key?.rawPublicKey == x ? key : nil
    } else {
      throw Failure(.configuration, "the private key is of a kind that is not used here")
    }
    guard let made else { throw Failure(.configuration, "the numbers of the private key are none of such a key") }
    return made
  }

  private func rsa(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> EVPKey? {
    if ranges["oth"] != nil { throw Failure(.configuration, "RSA keys of more than two primes are not used here") }
    guard var parameters = KeyParameters() else { return nil }
    let names: [(jwk: String, ours: StaticString)] = [
      ("n", "n"), ("e", "e"), ("d", "d"), ("p", "rsa-factor1"), ("q", "rsa-factor2"), ("dp", "rsa-exponent1"),
      ("dq", "rsa-exponent2"), ("qi", "rsa-coefficient1"),
    ]
    for (name, ours) in names {
      let secret = try unsafe secret(name, of: bytes)
      let isPrivate = name != "n" && name != "e"
      let isAdded = unsafe secret.withBytes { unsafe parameters.add(ours, number: $0, isSecret: isPrivate) }
      guard isAdded, secret.count <= 1_100 else { return nil }
    }
    return parameters.key("RSA", isPrivate: true)
  }

  private func number(_ name: String, of bytes: UnsafeRawBufferPointer) throws(Failure) -> [UInt8] {
    try unsafe secret(name, of: bytes).withBytes { unsafe Array($0) }
  }

  private func secret(_ name: String, of bytes: UnsafeRawBufferPointer) throws(Failure) -> SecureBytes {
    // Without the quotes. An escape is no base64url.
    guard let range = ranges[name], range.count > 2,
      let secret = unsafe Base64URL.decodeSecret(
        UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound + 1..<range.upperBound - 1]))
    else { throw Failure(.configuration, "the private key's '\(name)' is missing or not base64url") }
    return secret
  }
}
