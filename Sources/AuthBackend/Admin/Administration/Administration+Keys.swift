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
    let store = try SQLiteStore(path: configuration.database, migrate: false)
    guard try store.keys(.signing).isEmpty, try store.keys(.pepper).isEmpty else {
      throw Failure(
        .exists, "the database \(OutsideText.clean(configuration.database, limit: 300)) has keys already",
        hint: "it is in use; 'mfs-authd serve' starts the server on it")
    }
    var madeKeyFile = false
    if let file = configuration.keyFile, try !Files.find(file) {
      try KeyFile.generate(file)
      madeKeyFile = true
    }
    let sealer = try UnlockKey.sealer(configuration)
    let audited = AuditedKeys(store, by: "administrator")
    let keys = try KeyRing(store: audited, sealer: sealer, settings: configuration.keys)
    let peppers = try Peppers(store: audited, sealer: sealer, settings: configuration.peppers)
    try keys.tick()
    try peppers.tick()
    return (madeKeyFile, try keys.list() + peppers.list())
  }
}
