public import Basics
internal import SecureMemory

/// The place of a vault that is a sealed file (docs/VAULT-FORMAT.md).
public final class FileVaultStore: VaultStore {
  private let request: VaultRequest

  /// The place that a request names.
  public init(_ request: VaultRequest) { self.request = request }

  /// ``BackendKind/file``.
  public var kind: BackendKind { .file }

  /// Makes an empty vault with one slot. The folder is made when it is missing. Throws ``FailureCode/exists``.
  public func create(_ plan: VaultCreation) throws(Failure) {
    try ProfileSettings.require(kind, request)
    try Files.makePrivateDirectory(request.vaultDirectory)
    let directory = try VaultDirectory.open(request.vaultDirectory)
    try checkAbsent(directory)
    // Asking somebody may take long, and so may Argon2id: both before the lock.
    let secret = try plan.secret()
    let key = try MasterKey.random()
    let vaultID = try Cipher.randomBytes(VaultFormat.vaultIDSize)
    let recipe = try VaultSlot.Recipe.fresh(id: 1, label: plan.label, kdf: plan.kdf, created: .now())
    let slot = try VaultSlot.wrapping(key, under: secret, vaultID: vaultID, recipe: recipe)
    let header = VaultHeader(
      vaultID: vaultID, generation: 1, commitment: try key.commitment(vaultID: vaultID),
      bodyNonce: try Cipher.randomBytes(Cipher.nonceSize), bodySize: 0, slots: [slot])
    let bytes = try SealedVault.seal([:], header: header, masterKey: key)
    try VaultLock.hold(directory, request) { () throws(Failure) in
      try checkAbsent(directory)
      try directory.replace(request.fileName, with: bytes)
    }
  }

  private func checkAbsent(_ directory: borrowing VaultDirectory) throws(Failure) {
    guard !directory.contains(request.fileName) else {
      throw Failure(
        .exists, "the profile '\(request.profile)' has a vault already: \(directory.shown)/\(request.fileName)")
    }
  }

  /// What the file's clear header says. Throws what is wrong with a file that is there; a key that is named and does
  /// not open it is ``FailureCode/vaultWrongKey``.
  public func status() throws(Failure) -> VaultStatus {
    guard let sealed = try FileVault.read(request) else {
      return VaultStatus(initialised: false, locked: false, generation: nil, file: path)
    }
    let secret = try request.unlock.secret(environment: request.environment)
    if let secret { _ = try sealed.contents(try sealed.masterKey(with: secret)) }
    return VaultStatus(
      initialised: true, locked: secret == nil, generation: sealed.header.generation, slots: sealed.header.slots,
      file: path)
  }

  /// Unlocks the file: reads it, finds the secret that the request names, and proves it on a slot. A passphrase that
  /// somebody types may be mistyped, and is asked for up to three times.
  public func open() throws(Failure) -> any VaultBackend {
    try ProfileSettings.require(kind, request)
    guard let sealed = try FileVault.read(request) else { throw FileVault.notInitialised(request) }
    let unlock = request.unlock
    if let secret = try unlock.secret(environment: request.environment) {
      return FileVault(request, secret, try sealed.masterKey(with: secret))
    }
    let types = Set(sealed.header.slots.map(\.typeName))
    guard types.contains("passphrase") else { throw UnlockOptions.noKeyFile }
    var question = "Passphrase of the vault: "
    for triesLeft in [2, 1, 0] {
      do throws(Failure) {
        let secret = try unlock.typed(question)
        return FileVault(request, secret, try sealed.masterKey(with: secret))
      } catch  where error.code == .vaultWrongKey {
        guard triesLeft > 0 else { throw error }
        question = "That does not open it. Passphrase of the vault: "
      }
    }
    throw UnlockOptions.noWay
  }

  /// Removes the file, and what unfinished writers left of it. The lock file stays.
  public func destroy() throws(Failure) -> Bool {
    do throws(Failure) {
      let directory = try VaultDirectory.open(request.vaultDirectory)
      return try VaultLock.hold(directory, request) { () throws(Failure) in try directory.remove(request.fileName) }
    } catch  where error == Failure(.notFound, "") { return false }
  }

  private var path: String { request.vaultDirectory + "/" + request.fileName }
}
