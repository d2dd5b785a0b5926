public import BackendStore
public import Basics
public import JOSE

/// The keys that sign the server's tokens, the same for every process on one store.
///
/// A key is published before it signs for as long as clients may keep the set of keys, so that nobody meets a signature whose key
/// he does not know; and it stays published until the last token that it signed is over. Call ``tick()`` at the start and
/// then every minute or so.
public final class KeyRing: Sendable {
  /// What it was made with.
  public let settings: KeyRingSettings
  private let keys: RotatingKeys<TokenSigner>

  /// The ring of a store; nothing is read yet. Throws ``FailureCode/configuration`` for times that do not go together.
  public init(
    store: any KeyStore, sealer: Sealer, settings: KeyRingSettings = KeyRingSettings(),
    clock: @escaping @Sendable () -> Timestamp = { .now() }
  ) throws(Failure) {
    let algorithm = settings.algorithm
    let kind = RotatingKeys<TokenSigner>.Kind(
      purpose: .signing,
      make: { (createdAt, activeAt) throws(Failure) in
        let secret = try TokenSigner.secret(for: algorithm)
        let key = try TokenSigner(secret: secret, algorithm: algorithm)
        return SealedKey(
          purpose: .signing, keyID: key.keyID, algorithm: algorithm.rawValue, publicJWK: key.publicKey.json.text,
          sealed: try sealer.seal(secret, as: KeyRing.purpose(algorithm, key.keyID), at: createdAt),
          createdAt: createdAt, activeAt: activeAt)
      },
      open: { row throws(Failure) in try KeyRing.open(row, sealer) },
      isWanted: { $0.algorithm == algorithm.rawValue })
    keys = RotatingKeys(kind, schedule: try settings.schedule(), store: store, clock: clock)
    self.settings = settings
  }

  /// Makes, publishes and retires keys as is due. Throws ``FailureCode/vaultWrongKey`` when the unlock key opens none of them.
  @discardableResult
  public func tick() throws(Failure) -> [KeyEvent] { try keys.tick() }

  /// The key that signs at a moment. Reads the store only when it has not been read for long.
  public func signingKey(now: Timestamp) throws(Failure) -> TokenSigner { try keys.current(at: now) }

  /// Whether nothing has to be read for the keys of a moment: they are in memory, and young enough.
  public func isFresh(now: Timestamp) -> Bool { keys.isFresh(at: now) }

  /// The public halves of all keys that count at a moment, those that do not sign yet included.
  public func jwks(now: Timestamp) throws(Failure) -> PublishedKeys {
    let kept = try keys.view(at: now).kept(at: now)
    guard !kept.isEmpty else { throw keys.missing }
    // From the sealed half and not from the row: whoever writes to the store cannot publish a key of his own.
    return PublishedKeys(JSONWebKeySet(kept.map(\.material.publicKey)), maxAgeSeconds: settings.maxAgeSeconds)
  }

  /// Makes the next key now and returns it: it is published from now on, by other processes within ``knownWithinSeconds``, and signs when
  /// clients know it. While one waits for that already, none is made and that one is returned.
  public func rotateNow() throws(Failure) -> (key: KeyStatus, isMade: Bool, events: [KeyEvent]) { try keys.turn() }

  /// Takes a key out of use at once, because others may know it: it signs nothing more and is not published. Another one signs from
  /// now on, the one that waits or a new one; clients that keep the set of keys may refuse its tokens until they ask again. Other
  /// processes follow when they read the store, within half the margin. Throws ``FailureCode/notFound``.
  @discardableResult
  public func retire(_ keyID: String) throws(Failure) -> [KeyEvent] {
    try keys.withdraw(keyID) { $0.keyID.utf8.elementsEqual(keyID.utf8) }
  }

  /// Within how many seconds another process that uses the store acts by what is done here.
  public var knownWithinSeconds: Int64 { keys.schedule.reread }

  /// All keys that are not removed, oldest first.
  public func list() throws(Failure) -> [KeyStatus] { try keys.list() }

  private static func purpose(_ algorithm: JWSAlgorithm, _ keyID: String) -> String {
    "signing.\(algorithm.rawValue).\(keyID)"
  }

  private static func open(_ row: SealedKey, _ sealer: Sealer) throws(Failure) -> TokenSigner {
    guard let algorithm = JWSAlgorithm(named: row.algorithm) else {
      throw Failure(
        .vaultTampered, "a signing key is for '\(OutsideText.clean(row.algorithm, limit: 32))', which is not used here")
    }
    let secret = try sealer.open(row.sealed, as: purpose(algorithm, row.keyID))
    let key = try TokenSigner(secret: secret, algorithm: algorithm)
    guard key.keyID.utf8.elementsEqual(row.keyID.utf8) else {
      throw Failure(
        .vaultTampered, "a signing key is not the one that its id names", hint: "restore the store from a copy")
    }
    return key
  }
}

/// The set of keys to publish (RFC 7517 5).
public struct PublishedKeys: Sendable {
  /// The keys, to check the server's own tokens with as well.
  public let keys: JSONWebKeySet
  /// The same as JSON.
  public var json: String { keys.json.text }
  /// For how long it may be kept: `max-age` of its `Cache-Control`.
  public let maxAgeSeconds: Int64

  init(_ keys: JSONWebKeySet, maxAgeSeconds: Int64) {
    self.keys = keys
    self.maxAgeSeconds = maxAgeSeconds
  }
}
