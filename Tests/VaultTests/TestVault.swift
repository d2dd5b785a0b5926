import Basics
import Foundation
import SecureMemory
import TestSupport

@testable import Vault

/// A vault file in a sandbox, with a key file beside it.
struct TestVault {
  let sandbox: Sandbox
  let keyFile: String
  let request: VaultRequest

  /// A place without a vault. The key file holds the bytes of the golden files'.
  init(lockTimeout: Int = 10) throws {
    sandbox = try Sandbox()
    keyFile = sandbox("key")
    try Data(FormatWriter.keyFile).write(to: URL(fileURLWithPath: keyFile))
    chmod(keyFile, 0o600)
    var unlock = UnlockOptions()
    unlock.keyFile = keyFile
    request = VaultRequest(
      profile: .default,
      directories: try Directories(environment: Environment(["MFSCTL_HOME": sandbox("home")])),
      environment: Environment([:]), unlock: unlock, lockTimeout: lockTimeout)
  }

  /// A place with this file in it.
  init(file: [UInt8]) throws {
    try self.init()
    try place(file)
  }

  var folder: String { request.vaultDirectory }
  var file: String { "\(folder)/\(request.fileName)" }
  var store: FileVaultStore { FileVaultStore(request) }

  /// Makes an empty vault.
  func create() throws {
    let request = request
    try store.create(
      VaultCreation { () throws(Failure) in try request.unlock.newSecret(environment: Environment([:])) })
  }

  func place(_ bytes: [UInt8]) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    chmod(file, 0o600)
  }

  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file))) }

  /// The names of everything in the vault's folder.
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

  /// Every value, opened anew.
  func values() throws(Failure) -> [String: [UInt8]] {
    let contents = try store.open().contents()
    var values: [String: [UInt8]] = [:]
    for (name, entry) in contents.entries { values[name.text] = entry.value.withBytes { Array($0) } }
    return values
  }

  func set(_ name: String, _ value: String) throws(Failure) {
    try store.open().update { contents throws(Failure) in
      contents.set(try KeyName(name), try SecureBytes(publicText: value))
    }
  }

  /// Runs the real program on this vault.
  func mfsctl(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> RunResult {
    try run(
      ["mfsctl"] + arguments, in: sandbox, environment: environment.merging(["MFSCTL_VAULT_KEY_FILE": keyFile]) { $1 },
      input: Data(input.utf8))
  }
}

/// The code of the failure that a body throws; nil when it does not.
func code(_ body: () throws -> Void) -> FailureCode? {
  do {
    try body()
    return nil
  } catch { return (error as? Failure)?.code ?? .bug }
}

extension TestVault {
  /// The same vault with other ways to unlock it.
  init(_ other: TestVault, unlock: UnlockOptions, environment: [String: String] = [:]) {
    sandbox = other.sandbox
    keyFile = other.keyFile
    request = VaultRequest(
      profile: other.request.profile, directories: other.request.directories, environment: Environment(environment),
      unlock: unlock)
  }
}

/// Made-up bytes as a secret.
func box(_ bytes: [UInt8]) throws -> SecureBox {
  try bytes.withUnsafeBytes { SecureBox(try SecureBytes(copying: $0)) }
}
