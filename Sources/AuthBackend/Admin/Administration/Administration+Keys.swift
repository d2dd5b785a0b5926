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
        let lacksFile = try configuration.keyFile.map { file throws(Failure) in try !Files.find(file) } ?? false
        throw Failure(
          .exists, "the database \(OutsideText.clean(configuration.database, limit: 300)) has keys already",
          hint: lacksFile
            ? "the key file that opens them is missing: put its copy back; if there is none, see 'Keys are lost' in docs/BACKEND.md"
            : "it is in use; 'mfs-authd serve' starts the server on it")
      }
    }
    if try Files.find(configuration.database) {
      do throws(Failure) {
        try checkNew(try SQLiteStore(path: configuration.database, migrate: false, readers: 1))
      } catch {
        // An empty one is as good as none.
        guard error.code == .backendNotInitialised else { throw error }
      }
    } else {
      try SQLiteStore.checkPlace(configuration.database)
    }
    // Also for a key file beside it.
    if let folder = folder(of: configuration.database) { try Files.makePrivateDirectory(folder) }
    var madeKeyFile = false
    if let file = configuration.keyFile, try !Files.find(file) {
      try checkKeyPlace(file, database: configuration.database)
      try KeyFile.generate(
        file, hint: "another 'init' made it just now; once that is done, look with 'mfs-authd config check'")
      madeKeyFile = true
    }
    // The database is made last: one without keys would look like one that is in use.
    let sealer: Sealer
    let store: SQLiteStore
    do throws(Failure) {
      sealer = try UnlockKey.sealer(configuration)
      store = try SQLiteStore(path: configuration.database, migrate: true)
      try checkNew(store)
    } catch {
      // It opens nothing yet. Left behind by the wrong user, it would stand in the way of the right one.
      if madeKeyFile, let file = configuration.keyFile { KeyFile.remove(file) }
      throw error
    }
    let audited = AuditedKeys(store, by: "administrator")
    let keys = try KeyRing(store: audited, sealer: sealer, settings: configuration.keys)
    let peppers = try Peppers(store: audited, sealer: sealer, settings: configuration.peppers)
    try keys.tick()
    try peppers.tick()
    return (madeKeyFile, try keys.list() + peppers.list())
  }

  /// Checks that ``initialise(_:)`` could make a key file that is not there: in a folder that is, or in the database's. Throws as making it
  /// would.
  static func checkKeyPlace(_ file: String, database: String) throws(Failure) {
    let folder = folder(of: file) ?? (file.first == "/" ? "/" : ".")
    if Files.exists(folder) {
      guard let hint = AccessRefusal.hint(folder, .makeInside) else { return }
      throw .system("make the key file \(OutsideText.clean(file, limit: 300))", errno: EACCES, hint: hint)
    }
    guard folder != self.folder(of: database) else { return }
    let shown = OutsideText.clean(folder, limit: 300)
    throw Failure(
      .notFound, "there is no folder \(shown) for the key file",
      hint: "is the name right? as root, to make the folder: install -d -o "
        + "\(AccessRefusal.user(geteuid())) -m 700 \(shown)")
  }

  private static func folder(of path: String) -> String? {
    path.lastIndex(of: "/").flatMap { $0 == path.startIndex ? nil : String(path[..<$0]) }
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
