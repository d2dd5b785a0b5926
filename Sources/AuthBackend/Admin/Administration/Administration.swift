public import AuthBackend
internal import BackendKeys
public import BackendStore
public import Basics

/// What an administrator does to a store, beside a server that runs on it or without one. Each deed is a record of the audit log, and
/// whatever ends a sign-in denies its access tokens too.
public struct Administration: Sendable {
  /// The store.
  public let store: any AuthStore
  let clock: @Sendable () -> Timestamp
  let denySeconds: Int64
  let passwordLength: Int

  /// On a store. Access tokens are denied as long as `settings` lets them live.
  public init(
    store: any AuthStore, settings: BackendSettings, clock: @escaping @Sendable () -> Timestamp = { .now() }
  ) {
    self.store = store
    self.clock = clock
    passwordLength = settings.passwordLength
    denySeconds = settings.accessTokenSeconds + settings.leewaySeconds
  }

  var now: Timestamp { clock() }
  var denyUntil: Timestamp { now.advanced(by: denySeconds) }

  /// Opens the store of a configuration. Throws ``FailureCode/backendNotInitialised`` when the file is missing or has no keys, and
  /// what ``BackendStore/SQLiteStore`` throws, for one of an older format too.
  public static func open(_ configuration: BackendConfiguration, readers: Int = 2) throws(Failure) -> SQLiteStore {
    try checkThere(configuration)
    let store = try SQLiteStore(path: configuration.database, migrate: false, readers: readers)
    try checkInitialised(store, configuration)
    return store
  }

  /// Throws ``FailureCode/backendNotInitialised`` when the database's file is missing.
  public static func checkThere(_ configuration: BackendConfiguration) throws(Failure) {
    guard try Files.find(configuration.database) else {
      throw Failure(
        .backendNotInitialised, "there is no database \(OutsideText.clean(configuration.database, limit: 300))",
        hint: "is MFS_AUTHD_DATABASE right? 'mfs-authd init' makes a new one")
    }
  }

  /// A record for the audit log, of what an administrator did.
  func entry(_ event: String, _ fields: KeyValuePairs<String, String?>) -> AuditEntry {
    let facts = fields.compactMap { field in
      field.value.map { AuditRecord.Field(field.key, MisplacedSecret.without($0)) }
    }
    return AuditEntry(event, facts + [.init("by", "administrator")], at: now)
  }

  func audit(_ event: String, _ fields: KeyValuePairs<String, String?>) throws(Failure) {
    _ = try store.audit(entry(event, fields))
  }

  /// One record for each family that ended.
  func entries(_ families: [Family], _ reason: Family.End) -> [AuditEntry] {
    families.map { family in
      entry(
        "family.ended",
        ["reason": reason.rawValue, "sid": family.id, "user": family.user, "client": family.client])
    }
  }
}
