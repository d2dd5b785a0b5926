public import BackendKeys
internal import BackendStore
public import Basics
internal import Glibc
internal import Vault

extension Administration {
  /// Makes the key file, if it is missing, the database and the first keys. Returns what was made.
  ///
  /// Throws ``FailureCode/exists`` when the store has keys already, and what the key file and the store throw.
  public static func initialise(
    _ configuration: BackendConfiguration
  ) throws(Failure) -> (madeKeyFile: Bool, keys: [KeyStatus]) {
    func checkNew(_ store: SQLiteStore) throws(Failure) {
      guard try !store.hasKeys else {
        throw Failure(
          .exists, "the database \(OutsideText.clean(configuration.database, limit: 300)) has keys already",
          hint: "it is in use; 'mfs-authd serve' starts the server on it")
      }
    }
    if try Files.find(configuration.database) {
      try checkNew(try SQLiteStore(path: configuration.database, migrate: false, readers: 1))
    }
    var madeKeyFile = false
    if let file = configuration.keyFile, try !Files.find(file) {
      try KeyFile.generate(
        file, hint: "another 'init' made it just now; once that is done, look with 'mfs-authd config check'")
      madeKeyFile = true
    }
    // The database is made last: one without keys would look like one that is in use.
    let sealer = try UnlockKey.sealer(configuration)
    let store = try SQLiteStore(path: configuration.database, migrate: false)
    try checkNew(store)
    let audited = AuditedKeys(store, by: "administrator")
    let keys = try KeyRing(store: audited, sealer: sealer, settings: configuration.keys)
    let peppers = try Peppers(store: audited, sealer: sealer, settings: configuration.peppers)
    try keys.tick()
    try peppers.tick()
    return (madeKeyFile, try keys.list() + peppers.list())
  }

  /// Throws ``FailureCode/backendNotInitialised`` for a database without keys, which no `init` finished.
  static func checkInitialised(_ store: SQLiteStore, _ configuration: BackendConfiguration) throws(Failure) {
    guard try store.hasKeys else {
      throw Failure(
        .backendNotInitialised,
        "the database \(OutsideText.clean(configuration.database, limit: 300)) has no keys",
        hint: "'mfs-authd init' makes them; is MFS_AUTHD_DATABASE right?")
    }
  }
}

extension SQLiteStore {
  fileprivate var hasKeys: Bool {
    get throws(Failure) {
      let (signing, peppers) = (try keys(.signing), try keys(.pepper))
      return !(signing.isEmpty && peppers.isEmpty)
    }
  }
}
