internal import BackendKeys
internal import BackendStore
internal import Basics
internal import JOSE

/// Texts that the server gives a browser and knows again without keeping them: a label and a value, and their HMAC under a pepper.
struct ServerMac {
  /// What is hashed; the label keeps one use from being taken for another.
  private struct Labelled: StoredSecret {
    let bytes: [UInt8]

    init(_ label: String, _ values: [String]) {
      // The length of each part stands before it, so that no two lists of parts are the same bytes.
      bytes = ([label] + values).flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    }

    func withHashedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
      unsafe bytes.withUnsafeBytes { unsafe body($0) }
    }
  }

  let peppers: Peppers
  let now: Timestamp

  /// The HMAC, in base64url.
  func make(_ label: String, _ values: String...) throws(Failure) -> String {
    Base64URL.encode(try peppers.hash(Labelled(label, values), now: now).bytes)
  }

  /// Whether a text is that HMAC, under any pepper that is kept.
  func isRight(_ mac: String, _ label: String, _ values: String...) throws(Failure) -> Bool {
    guard let given = Base64URL.decode(mac), given.count == 32 else { return false }
    return try peppers.hashes(Labelled(label, values), now: now).contains { hash in
      ConstantTime.isSame(hash.bytes, given)
    }
  }
}
