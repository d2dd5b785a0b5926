internal import AuthBackend
internal import BackendKeys
internal import BackendStore
public import Basics
internal import HTTPServer
internal import SecureMemory

extension BackendConfiguration {
  /// Says all that is wrong with the settings, with the files that they name and with the clients of the database, each once; asks the name
  /// service whether hosts are private. What `init` makes may be missing before there is a database. Throws when the file cannot be
  /// read as one.
  public static func checkAll(file: String?, environment: Environment) throws(Failure) -> [ConfigurationFinding] {
    let (configuration, findings) = try draft(file: file, environment: environment)
    return findings.adding(
      configuration.privateFindings(asking: true) + configuration.fileFindings()
        + configuration.attestation.findings)
  }

  private func fileFindings() -> [ConfigurationFinding] {
    var found: [ConfigurationFinding] = []
    func look(_ name: String, _ body: () throws(Failure) -> Void) {
      do throws(Failure) { try body() } catch {
        found.append(finding(name, "MFS_AUTHD_\(name): \(error.message)", error.hint))
      }
    }
    if let tls {
      look("TLS_CERTIFICATE") { () throws(Failure) in _ = try Files.read(tls.certificate, limit: 1 << 20) }
      look("TLS_KEY") { () throws(Failure) in
        try Files.checkPlain(tls.key, what: "the TLS key")
        _ = try SecretInput.read(file: tls.key, limit: 65_536, what: "the TLS key", credentials: credentials)
      }
    }
    if let file = webhook?.authorities {
      look("WEBHOOK_AUTHORITIES") { () throws(Failure) in _ = try Files.read(file, limit: 4 << 20) }
    }
    var isThere = false, store: SQLiteStore?
    look("DATABASE") { () throws(Failure) in
      isThere = try Files.find(database)
      guard isThere else { return }
      let opened = try SQLiteStore(path: database, migrate: false, readers: 1)
      store = opened
      found += clientFindings(opened)
      try Administration.checkInitialised(opened, self)
    }
    look("KEY_FILE") { () throws(Failure) in
      let isMade = if let keyFile { try Files.find(keyFile) } else { credentials != nil }
      guard isMade || keyFile != nil && isThere else { return }
      let sealer = try UnlockKey.sealer(self)
      if let store { try checkOpens(sealer, store) }
    }
    return found
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
        do throws(Failure) { try ClientCheck.check(client) } catch {
          found.append(finding("DATABASE", error.message, error.hint, isError: false))
        }
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
