import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Where a vault stands: only files and folders that nobody else can get at are used, for reading and for writing.
@Suite struct PlaceTests {
  private func refused(_ vault: TestVault, _ what: Comment) {
    #expect(code { _ = try vault.values() } == .permissions, what)
    #expect(code { _ = try vault.store.status() } == .permissions, what)
    #expect(code { try vault.set("auth.x", "y") } == .permissions, what)
    #expect(code { _ = try Logout(wipe: true).run(vault.store, isPinned: true) } == .permissions, what)
  }

  private func made() throws -> TestVault {
    let vault = try TestVault()
    try vault.create()
    try vault.set("auth.x", "value")
    return vault
  }

  @Test func aNewVaultIsPrivateUnderEveryUmask() throws {
    for mask in ["000", "022", "077", "777"] {
      let vault = try TestVault()
      let result = try vault.mfsctl([])
      #expect(result.status == 0)
      let made = try run(
        ["sh", "-c", "umask \(mask); mfsctl vault init && printf v | mfsctl vault set auth.sessionId"],
        in: vault.sandbox,
        environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile])
      #expect(made.status == 0, "umask \(mask): \(made.errorText)")
      for (path, mode) in [(vault.folder, 0o700), (vault.file, 0o600), (vault.folder + "/default.lock", 0o600)] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == mode, "umask \(mask): \(path)")
      }
      #expect(try vault.values() == ["auth.sessionId": [0x76]])
    }
  }

  @Test(arguments: [0o604, 0o640, 0o660, 0o644, 0o777]) func aFileThatOthersCanUseIsRefused(mode: mode_t) throws {
    let vault = try made()
    chmod(vault.file, mode)
    refused(vault, "mode \(mode)")
    chmod(vault.file, 0o400)
    #expect(try vault.values().count == 1)
  }

  @Test(arguments: [0o701, 0o710, 0o770, 0o755, 0o777]) func aFolderThatOthersCanUseIsRefused(mode: mode_t) throws {
    let vault = try made()
    chmod(vault.folder, mode)
    refused(vault, "mode \(mode)")
  }

  @Test func aFolderAboveThatAnybodyCanWriteIsRefused() throws {
    let vault = try made()
    let above = vault.sandbox("home")
    chmod(above, 0o777)
    refused(vault, "world-writable")
    chmod(above, 0o1777)
    #expect(try vault.values().count == 1)
  }

  @Test func linksAreNotFollowed() throws {
    let vault = try made()
    let files = FileManager.default
    try files.moveItem(atPath: vault.file, toPath: vault.sandbox("elsewhere"))
    try files.createSymbolicLink(atPath: vault.file, withDestinationPath: vault.sandbox("elsewhere"))
    refused(vault, "a link in the place of the file")
    try files.removeItem(atPath: vault.file)
    try files.moveItem(atPath: vault.sandbox("elsewhere"), toPath: vault.file)
    try files.moveItem(atPath: vault.folder, toPath: vault.sandbox("folder"))
    try files.createSymbolicLink(atPath: vault.folder, withDestinationPath: vault.sandbox("folder"))
    refused(vault, "a link in the place of the folder")
    #expect(code { try vault.create() } == .permissions)
  }

  @Test func aLinkInThePlaceOfTheLockIsNotFollowed() throws {
    let vault = try made()
    let lock = vault.folder + "/default.lock"
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: vault.sandbox("new"))
    #expect(code { try vault.set("auth.x", "y") } == .permissions)
    #expect(!Files.exists(vault.sandbox("new")))
  }

  @Test func whatIsNoLockFileIsRefused() throws {
    let vault = try made()
    let lock = vault.folder + "/default.lock"
    let places: [() throws -> Void] = [
      { try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false) },
      { #expect(mkfifo(lock, 0o600) == 0) }, { #expect(mknod(lock, S_IFSOCK | 0o600, 0) == 0) },
      { #expect(FileManager.default.createFile(atPath: lock, contents: nil) && chmod(lock, 0o644) == 0) },
    ]
    for (number, make) in places.enumerated() {
      try FileManager.default.removeItem(atPath: lock)
      try make()
      #expect(code { try vault.set("auth.x", "y") } == .permissions, "place \(number)")
      #expect(code { _ = try vault.store.destroy() } == .permissions, "place \(number)")
    }
    #expect(try vault.values() == ["auth.x": Array("value".utf8)])
  }

  @Test func aFileInThePlaceOfAFolderAboveIsAnUnsafePlace() throws {
    let vault = try TestVault()
    try vault.sandbox.write("home/data", "a file")
    #expect(code { try vault.create() } == .permissions)
  }

  @Test func whatIsNoFileIsRefused() throws {
    let vault = try made()
    try FileManager.default.removeItem(atPath: vault.file)
    #expect(mkfifo(vault.file, 0o600) == 0)
    refused(vault, "a FIFO")
    try FileManager.default.removeItem(atPath: vault.file)
    try FileManager.default.createDirectory(
      atPath: vault.file, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    refused(vault, "a folder")
  }

  @Test func anotherOwnerIsRefused() throws {
    var status = stat()
    status.st_uid = geteuid() &+ 1
    status.st_mode = S_IFREG | 0o600
    #expect(code { try VaultDirectory.checkOwned(status, shown: "x", fix: "y") } == .permissions)
    // A folder that is not ours, whoever we are: root's, or one that root has given away.
    let folder: String
    let vault = try TestVault()
    if geteuid() == 0 {
      folder = vault.sandbox("given-away")
      try #require(mkdir(folder, 0o700) == 0 && chown(folder, 65_534, 65_534) == 0)
    } else {
      folder = "/usr"
    }
    do {
      _ = try VaultDirectory.open(folder).shown
      Issue.record("\(folder) was opened")
    } catch {
      #expect(error.code == .permissions && error.message.contains("belongs to user"), "\(error.message)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can make a file of somebody else's"))
  func aVaultOfAnotherOwnersIsRefused() throws {
    let vault = try made()
    #expect(chown(vault.file, 65_534, 65_534) == 0)
    refused(vault, "a file of somebody else's")
    #expect(chown(vault.file, 0, 0) == 0)
    #expect(chown(vault.folder, 65_534, 65_534) == 0)
    refused(vault, "a folder of somebody else's")
    // The other way round: nobody's folder, with root's vault in it, which nobody can read.
    chmod(vault.file, 0o604)
    chmod(vault.sandbox.path, 0o755)
    try FileManager.default.copyItem(atPath: Programs.buildFolder + "/mfsctl", toPath: vault.sandbox("mfsctl"))
    let result = try run(
      [
        "sh", "-c",
        "chown 65534 home home/data; exec setpriv --reuid=65534 --regid=65534 --clear-groups ./mfsctl vault list",
      ],
      in: vault.sandbox)
    #expect(result.status == 40 && result.errorText.contains("belongs to user 0"), "\(result.errorText)")
  }

  @Test func readingMakesNothing() throws {
    let vault = try TestVault()
    for arguments in [["status"], ["list"], ["get", "auth.sessionId"], ["logout", "--dry-run"], ["logout"]] {
      _ = try vault.mfsctl(["vault"] + arguments)
      #expect(!Files.exists(vault.sandbox("home")), "vault \(arguments)")
    }
    let used = try made()
    let before = try used.names()
    try FileManager.default.removeItem(atPath: used.folder + "/default.lock")
    for arguments in [["status"], ["list"], ["get", "auth.sessionId"], ["logout", "--dry-run"]] {
      _ = try used.mfsctl(["vault"] + arguments)
      #expect(try used.names() == before.filter { $0 != "default.lock" }, "vault \(arguments)")
    }
  }
}
