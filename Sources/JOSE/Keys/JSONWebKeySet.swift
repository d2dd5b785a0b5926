public import Basics

/// The public keys of an issuer (RFC 7517 5). A key in it that cannot be used here, for its kind, size or a fault of
/// its own, is left out and said so: an issuer may add keys for others at any time.
public struct JSONWebKeySet: Sendable {
  /// The most keys that a set may have.
  public static let maximumCount = 256
  /// The most bytes of a set.
  public static let maximumSize = 512 << 10

  /// The keys that can be used, in order.
  public let keys: [JSONWebKey]
  /// Why others were left out, one text each.
  public let skipped: [String]

  /// A set of keys.
  public init(_ keys: [JSONWebKey]) {
    self.keys = keys
    skipped = []
  }

  /// Reads a set as JSON. Throws ``FailureCode/configuration`` when it is not JSON, has a member twice, has no array
  /// `keys` or is too large.
  public init(json: [UInt8]) throws(Failure) {
    let value: JSONValue
    do throws(JSONFault) {
      value = try JSONReader.value(json, maximumSize: JSONWebKeySet.maximumSize, maximumDepth: 8)
    } catch { throw Failure(.configuration, "the set of keys cannot be read: \(error)") }
    guard let items = value["keys"]?.items else {
      throw Failure(.configuration, "the set of keys has no array 'keys'", hint: "is it a JSON Web Key Set?")
    }
    guard items.count <= JSONWebKeySet.maximumCount else {
      throw Failure(.configuration, "the set has more than \(JSONWebKeySet.maximumCount) keys")
    }
    var keys: [JSONWebKey] = [], skipped: [String] = []
    for item in items {
      do throws(Failure) { keys.append(try JSONWebKey(item)) } catch { skipped.append(error.message) }
    }
    self.keys = keys
    self.skipped = skipped
  }

  /// The set as JSON, to publish.
  public var json: JSONValue { .object([.init("keys", .array(keys.map(\.json)))]) }
}
