public import Basics
internal import SecureMemory

/// The sealed file as a store, unlocked. Every change writes a whole new file in the place of the old one.
public final class FileVault: VaultBackend {
  private let request: VaultRequest
  private let secret: UnlockSecret
  private var masterKey: MasterKey

  /// The file of a request, which `secret` opened and `masterKey` came out of. ``FileVaultStore/open()`` makes it.
  init(_ request: VaultRequest, _ secret: UnlockSecret, _ masterKey: MasterKey) {
    (self.request, self.secret, self.masterKey) = (request, secret, masterKey)
  }

  /// ``BackendKind/file``.
  public var kind: BackendKind { .file }

  /// Everything in the file as it is now. Takes no lock: a rename gives the old file or the new one, whole.
  public func contents() throws(Failure) -> VaultContents {
    guard let sealed = try FileVault.read(request) else { throw FileVault.notInitialised(request) }
    return try open(sealed)
  }

  /// Changes the file by the protocol of docs/VAULT-FORMAT.md: lock, read again, edit, write beside, rename.
  @discardableResult
  public func update(
    expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    let directory = try FileVault.directory(request)
    return try VaultLock.hold(directory, request) { () throws(Failure) in
      try update(directory, expectedGeneration: expectedGeneration, edit)
    }
  }

  private func update(
    _ directory: borrowing VaultDirectory, expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    // What was read before the lock may be stale: another writer's change would be lost.
    guard let bytes = try directory.read(request.fileName) else { throw FileVault.notInitialised(request) }
    let sealed = try SealedVault(bytes)
    let contents = try open(sealed)
    let generation = contents.generation
    if let expectedGeneration, expectedGeneration != generation {
      throw Failure(
        .vaultRolledBack, "the vault is at generation \(generation), not at \(expectedGeneration)",
        hint: "something else wrote to it; look, then try again")
    }
    try edit(contents)
    guard !contents.changes.isEmpty else { return generation }
    guard generation < .max else { throw Failure(.inputOutput, "the vault's write counter is at its end") }
    var header = sealed.header
    header.generation = generation + 1
    header.bodyNonce = try Cipher.randomBytes(Cipher.nonceSize)
    try directory.replace(
      request.fileName, with: try SealedVault.seal(contents.entries, header: header, masterKey: masterKey),
      forgetting: contents.changes.contains { contents[$0] == nil })
    return header.generation
  }

  private func open(_ sealed: SealedVault) throws(Failure) -> VaultContents {
    // A vault made anew or given new keys since is opened by its own slots.
    if try !masterKey.matches(sealed.header) { masterKey = try sealed.masterKey(with: secret) }
    return try sealed.contents(masterKey)
  }

  static func read(_ request: VaultRequest) throws(Failure) -> SealedVault? {
    do throws(Failure) {
      let directory = try VaultDirectory.open(request.vaultDirectory)
      guard let bytes = try directory.read(request.fileName) else { return nil }
      return try SealedVault(bytes)
    } catch  where error == Failure(.notFound, "") { return nil }
  }

  private static func directory(_ request: VaultRequest) throws(Failure) -> VaultDirectory {
    do throws(Failure) { return try VaultDirectory.open(request.vaultDirectory) } catch
      where error == Failure(.notFound, "")
    {
      throw notInitialised(request)
    }
  }

  static func notInitialised(_ request: VaultRequest) -> Failure {
    Failure(
      .vaultNotInitialised, "the profile '\(request.profile)' has no vault",
      hint: "make one with 'mfsctl vault init'")
  }
}
