internal import AuthBackend
internal import BackendKeys
internal import BackendStore
public import Basics
internal import HTTPServer
internal import SecureMemory

extension BackendConfiguration {
  /// Says all that is wrong with the settings, with the files that they name and with the clients of the database, each once and in the
  /// order of the file; asks the name service whether hosts are private. What `init` makes may be missing before there is a database, where
  /// it can make it. Throws when the file cannot be read as one.
  public static func checkAll(file: String?, environment: Environment) throws(Failure) -> [ConfigurationFinding] {
    var draft = try Draft(file: file, environment: environment)
    let (files, others) = draft.configuration.fileFindings()
    draft.add(
      files + draft.configuration.attestation.findings, others + draft.configuration.privateFindings(asking: true))
    return draft.placed()
  }

  /// What is wrong with the files, and what the database and the keys say against other settings.
  private func fileFindings() -> (files: [ConfigurationFinding], others: [ConfigurationFinding]) {
    var found: [ConfigurationFinding] = [], others: [ConfigurationFinding] = []
    func look(_ name: String, _ body: () throws(Failure) -> Void) {
      do throws(Failure) { try body() } catch {
        found.append(finding(name, "MFS_AUTHD_\(name): \(error.message)", error.hint))
      }
    }
    var certificates: [UInt8]?, key: SecureBox?
    if let file = tlsFiles.certificate {
      look("TLS_CERTIFICATE") { () throws(Failure) in
        let read = try ServerIdentity.certificates(file)
        try ServerIdentity.check(certificates: read)
        certificates = read
      }
    }
    if let file = tlsFiles.key {
      look("TLS_KEY") { () throws(Failure) in
        try Files.checkPlain(file, what: "the TLS key")
        let read = try ServerIdentity.key(file, credentials: credentials)
        try ServerIdentity.check(key: read)
        key = read
      }
    }
    if let certificates, let key {
      look("TLS_KEY") { () throws(Failure) in try ServerIdentity(certificates: certificates, key: key).check() }
    }
    if let file = webhookAuthorities {
      look("WEBHOOK_AUTHORITIES") { () throws(Failure) in _ = try Files.read(file, limit: 4 << 20) }
    }
    var isThere = false, store: SQLiteStore?
    let hasKey = keyFile != nil || credentials != nil
    if !hasKey {
      others.append(
        finding(
          "KEY_FILE",
          "the key is not checked: MFS_AUTHD_KEY_FILE is not set, and no systemd credential \(UnlockKey.credential) is here",
          "set it, or check with the credential (docs/BACKEND.md, \"First start\"); 'init' and 'serve' need one of them",
          isError: false))
    }
    look("DATABASE") { () throws(Failure) in
      isThere = try Files.find(database)
      guard isThere else { return database.isEmpty ? () : try SQLiteStore.checkPlace(database) }
      let opened = try SQLiteStore(path: database, migrate: false, readers: 1)
      store = opened
      others += clientFindings(opened)
      try Administration.checkInitialised(opened, self)
    }
    look("KEY_FILE") { () throws(Failure) in
      guard hasKey else { return }
      if let keyFile, !isThere, try !Files.find(keyFile) {
        return try Administration.checkKeyPlace(keyFile, database: database)
      }
      let sealer = try UnlockKey.sealer(self)
      if let store { try checkOpens(sealer, store) }
    }
    return (found, others)
  }

  /// Throws what `serve` would for keys of the database of which this opens none.
  private func checkOpens(_ sealer: Sealer, _ store: SQLiteStore) throws(Failure) {
    for keys in [
      try KeyRing(store: store, sealer: sealer, settings: keys).list(),
      try Peppers(store: store, sealer: sealer, settings: peppers).list(),
    ] where !keys.isEmpty && keys.allSatisfy({ $0.state == .unreadable }) {
      throw Failure(
        .vaultWrongKey, "it opens none of the keys of the database",
        hint: "is it the key file of this database? a lost one cannot be made again")
    }
  }

  /// Clients that this version would not register, and those that ask for what is not set.
  private func clientFindings(_ store: SQLiteStore) -> [ConfigurationFinding] {
    do throws(Failure) {
      var found: [ConfigurationFinding] = []
      for client in try store.clients() {
        let id = OutsideText.clean(client.id, limit: 80)
        found += ClientCheck.faults(of: client).map { finding("DATABASE", $0.message, $0.hint, isError: false) }
        if client.attestation != .off, let package = client.properties["android-package"], !package.isEmpty,
          !attestation.packages.contains(package)
        {
          found.append(
            finding(
              "PLAY_INTEGRITY_PACKAGES",
              "the client '\(id)' attests by the package \(OutsideText.clean(package, limit: 80)), whose keys are not here",
              "list the package, or take android-package or the attestation from the client", isError: false))
        }
        for provider in [IdentityProvider.apple, .google] {
          let property = provider.name + "-client-ids"
          guard !(client.properties[property] ?? "").isEmpty,
            !backend.identityProviders.contains(where: { $0.name == provider.name })
          else { continue }
          found.append(
            finding(
              "IDENTITY_PROVIDERS", "the client '\(id)' has \(property), and \(provider.name) is not listed",
              "list it, or take the property from the client", isError: false))
        }
      }
      return found
    } catch { return [finding("DATABASE", error.message, error.hint)] }
  }
}
