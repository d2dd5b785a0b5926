import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// The backend is chosen once for a profile, and nothing else is ever used in its place.
@Suite struct BackendTests {
  @Test func aPinIsWrittenOnceAndPrivately() throws {
    let vault = try TestVault()
    #expect(try ProfileSettings.load(vault.request) == nil)
    #expect(try ProfileSettings.backend(vault.request) == nil)
    try ProfileSettings(backend: .secretService).save(vault.request)
    try ProfileSettings(backend: .secretService).save(vault.request)
    #expect(code { try ProfileSettings(backend: .file).save(vault.request) } == .vaultBackendMismatch)
    #expect(try ProfileSettings.backend(vault.request) == .secretService)
    let path = ProfileSettings.path(vault.request)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "backend: secret-service\n")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: vault.sandbox("home/config/profiles")) == ["default.yaml"])
  }

  @Test func anotherBackendThanThePinnedOneIsRefusedAndBothAreNamed() throws {
    let vault = try TestVault()
    try vault.create()
    // A file and a pin to another backend, as a hand that edits the pin leaves them.
    #expect(code { try ProfileSettings(backend: .secretService).save(vault.request) } == .vaultBackendMismatch)
    try vault.sandbox.write("home/config/profiles/default.yaml", "backend: secret-service\n")
    do {
      _ = try vault.store.open()
      Issue.record("the file was opened although the Secret Service is pinned")
    } catch {
      #expect(error.code == .vaultBackendMismatch)
      #expect(error.message.contains("'file'") && error.message.contains("'secret-service'"))
    }
    #expect(code { try vault.create() } == .vaultBackendMismatch)
  }

  @Test(arguments: [
    "backend: cloud\n", "backend: file\nother: 1\n", "[]\n", "", "backend: [file]\n", "a: &x 1\nb: *x\n",
  ])
  func aPinThatCannotBeReadIsAnErrorNotADefault(text: String) throws {
    let vault = try TestVault()
    try vault.create()
    try vault.sandbox.write("home/config/profiles/default.yaml", text)
    for command in ["list", "status", "logout", "init"] {
      #expect(try vault.mfsctl(["vault", command]).status == 3, "\(command)")
    }
  }

  @Test func aVaultIsMadeOnce() throws {
    let vault = try TestVault()
    #expect(try vault.mfsctl(["vault", "init"]).status == 0)
    let before = try vault.bytes()
    #expect(code { try ProfileSettings.requireNone(for: .file, vault.request) } == .exists)
    #expect(code { try ProfileSettings.requireNone(for: .secretService, vault.request) } == .vaultBackendMismatch)
    #expect(try vault.mfsctl(["vault", "init"]).status == 11)
    #expect(try vault.mfsctl(["vault", "init", "--backend", "file"]).status == 11)
    #expect(try vault.bytes() == before)
    // A profile of its own has a vault of its own.
    #expect(try vault.mfsctl(["--profile", "other", "vault", "init"]).status == 0)
    #expect(try vault.mfsctl(["vault", "set", "auth.sessionId"], input: "x").status == 0)
    #expect(try vault.mfsctl(["--profile", "other", "vault", "get", "auth.sessionId"]).status == 10)
  }

  /// A program that was stopped between making the file and pinning it left a vault that works.
  @Test func aFileWithoutAPinIsAFileVault() throws {
    let vault = try TestVault()
    #expect(try vault.mfsctl(["vault", "init"]).status == 0)
    try FileManager.default.removeItem(atPath: ProfileSettings.path(vault.request))
    #expect(try vault.mfsctl(["vault", "list"]).status == 0)
    #expect(try vault.mfsctl(["vault", "init"]).status == 11)
  }
}
