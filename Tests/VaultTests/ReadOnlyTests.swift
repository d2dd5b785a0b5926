import TestSupport
import Testing

/// Commands that only read open nothing for writing, make nothing and lock nothing: so they work on a read-only disk, and
/// never wait for a writer.
@Suite struct ReadOnlyTests {
  @Test(
    arguments: [
      ["status"], ["list"], ["get", "auth.sessionId"], ["get", "auth.idToken"], ["dbkey", "show", "main"],
      ["logout", "--dry-run"], ["logout", "--wipe", "--dry-run"],
    ])
  func readingNeitherWritesNorLocks(command: [String]) throws {
    let vault = try TestVault()
    try vault.create()
    try vault.set("auth.sessionId", "s3ss10n")
    try vault.set("mfs.dbkey.main", "key")
    for program in ["mfsctl", "mfsctl-full"] {
      let (result, writes) = try runWatchingWrites(
        [program, "vault"] + command, in: vault.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile])
      #expect(result.status == (command.contains("auth.idToken") ? 10 : 0), "\(result.errorText)")
      #expect(writes.isEmpty, "\(program) vault \(command)")
    }
  }

  /// What writes is seen to write, so the search can find what it looks for.
  @Test func writingIsSeen() throws {
    let vault = try TestVault()
    try vault.create()
    let (result, writes) = try runWatchingWrites(
      ["mfsctl", "vault", "generate", "mfs.deviceId"], in: vault.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile])
    #expect(result.status == 0, "\(result.errorText)")
    for call in ["flock(", "O_CREAT", "fsync(", "rename"] { #expect(writes.contains { $0.contains(call) }, "\(call)") }
  }
}
