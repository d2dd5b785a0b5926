public import BackendStore
public import Basics
internal import SecureMemory

/// The keys that turn what clients hold - refresh tokens, codes, cookies - into what is stored of it: HMAC-SHA256, so that the store
/// alone neither opens nor makes any of it. They change like signing keys do, and are the same for every process on one store.
/// Call ``tick()`` at the start and then every minute or so.
public final class Peppers: Sendable {
  private let peppers: RotatingKeys<Pepper>

  /// The peppers of a store; nothing is read yet. Throws ``FailureCode/configuration`` for times that do not go together.
  public init(
    store: any KeyStore, sealer: Sealer, settings: PepperSettings = PepperSettings(),
    clock: @escaping @Sendable () -> Timestamp = { .now() }
  ) throws(Failure) {
    let kind = RotatingKeys<Pepper>.Kind(
      purpose: .pepper,
      make: { (createdAt, activeAt) throws(Failure) in
        let secret = try SecureBytes.random(count: Pepper.size)
        return SealedKey(
          purpose: .pepper, keyID: "", algorithm: "", publicJWK: "",
          sealed: try sealer.seal(secret, as: "pepper", at: createdAt), createdAt: createdAt, activeAt: activeAt)
      },
      open: { row throws(Failure) in try Pepper(try sealer.open(row.sealed, as: "pepper")) },
      isWanted: { _ in true })
    peppers = RotatingKeys(kind, schedule: try settings.schedule(), store: store, clock: clock)
  }

  /// Makes and retires peppers as is due. Throws ``FailureCode/vaultWrongKey`` when the unlock key opens none of them.
  @discardableResult
  public func tick() throws(Failure) -> [KeyEvent] { try peppers.tick() }

  /// Whether nothing has to be read for the peppers of a moment: they are in memory, and young enough.
  public func isFresh(now: Timestamp) -> Bool { peppers.isFresh(at: now) }

  /// The hash to store of a secret, under the pepper that is used at a moment.
  public func hash(_ secret: some StoredSecret, now: Timestamp) throws(Failure) -> KeyedHash {
    guard let current = try peppers.view(at: now).current(at: now) else { throw peppers.missing }
    return KeyedHash(
      pepper: current.row.number, bytes: unsafe secret.withHashedBytes { unsafe current.material.hash($0) })
  }

  /// The hashes that a secret may be stored as: under each pepper that is kept at a moment, newest first.
  public func hashes(_ secret: some StoredSecret, now: Timestamp) throws(Failure) -> [KeyedHash] {
    let kept = try peppers.view(at: now).kept(at: now)
    // With none, every token would be taken for one that was never issued.
    guard !kept.isEmpty else { throw peppers.missing }
    return unsafe secret.withHashedBytes { bytes in
      kept.map { unsafe KeyedHash(pepper: $0.row.number, bytes: $0.material.hash(bytes)) }
    }
  }

  /// The hash of a secret under one pepper, which the store is asked for when it is not known yet; nil when there is none of that
  /// number.
  public func hash(_ secret: some StoredSecret, pepper: Int64, now: Timestamp) throws(Failure) -> KeyedHash? {
    var kept = try peppers.view(at: now).kept(at: now)
    if !kept.contains(where: { $0.row.number == pepper }) { kept = try peppers.reread(now).kept(at: now) }
    guard let material = kept.first(where: { $0.row.number == pepper })?.material else { return nil }
    return KeyedHash(pepper: pepper, bytes: unsafe secret.withHashedBytes { unsafe material.hash($0) })
  }

  /// Makes the next pepper now and returns it, or the one that waits for its time.
  public func rotateNow() throws(Failure) -> (key: KeyStatus, isMade: Bool, events: [KeyEvent]) { try peppers.turn() }

  /// Takes a pepper out of use at once, because others may know it: whatever was hashed with it counts no more, so that everybody
  /// whose token it was signs in again. Throws ``FailureCode/notFound``.
  @discardableResult
  public func retire(_ number: Int64) throws(Failure) -> [KeyEvent] {
    try peppers.withdraw("\(number)") { $0.number == number }
  }

  /// Within how many seconds another process that uses the store acts by what is done here.
  public var knownWithinSeconds: Int64 { peppers.schedule.reread }

  /// All peppers that are not removed, oldest first.
  public func list() throws(Failure) -> [KeyStatus] { try peppers.list() }
}

/// A secret that clients hold and that is stored as a ``BackendStore/KeyedHash``.
public protocol StoredSecret {
  /// Lends the bytes that are hashed, which are other ones for each kind of secret.
  func withHashedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R
}
