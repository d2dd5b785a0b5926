import Basics
import SecureMemory

@testable import JOSE

/// Bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A token, or another secret, in guarded memory.
func secret(_ text: String) throws -> SecureBytes { try SecureBytes(publicText: text) }

/// The same where it is kept.
func box(_ text: String) throws -> SecureBox { SecureBox(try SecureBytes(publicText: text)) }

/// The text of a token that was made here.
func text(_ token: borrowing SecureBytes) -> String { token.publicText() ?? "" }

/// What was refused; nil when nothing was.
func refusal(_ body: () throws(TokenRefusal) -> Void) -> TokenRefusal? {
  do throws(TokenRefusal) {
    try body()
    return nil
  } catch { return error }
}

/// Why a token is not verified; nil when it is.
func refusal(
  _ token: String, _ keys: some JSONWebKeySource, algorithms: Set<JWSAlgorithm> = Set(JWSAlgorithm.allCases)
) throws -> TokenRefusal? {
  let token = try secret(token)
  return refusal { () throws(TokenRefusal) in _ = try JWSVerifier(algorithms: algorithms).verify(token, keys: keys) }
}

/// A token with this header, made by hand: the signature is the key's own over whatever the header says.
func forge(_ header: String, _ payload: String = "{}", by key: SigningKey) throws -> String {
  let signed = Base64URL.encode(bytes(header)) + "." + Base64URL.encode(bytes(payload))
  let signature = bytes(signed).withUnsafeBytes { message -> [UInt8] in
    guard let made = key.material.sign(message, by: key.algorithm) else { return [] }
    return made.withBytes { Array($0) }
  }
  return signed + "." + Base64URL.encode(signature)
}

/// Keys that are dear to make, made once.
enum Keys {
  static let rs256 = made(.rs256)
  static let ps256 = made(.ps256)
  static let es256 = made(.es256)
  static let edDSA = made(.edDSA)
  static let all = [rs256, ps256, es256, edDSA]

  private static func made(_ algorithm: JWSAlgorithm) -> SigningKey {
    do { return try SigningKey.generate(algorithm) } catch { fatalError("no key: \(error)") }
  }
}

/// A set of the public halves.
func set(_ keys: SigningKey...) -> JSONWebKeySet { JSONWebKeySet(keys.map(\.publicKey)) }

/// An object of these members.
func object(_ members: [(String, JSONValue)]) -> JSONValue { .object(members.map { .init($0.0, $0.1) }) }
