import AuthBackend
import BackendAdmin
import BackendStore
import BackendStoreConformance
import Basics
import SecureMemory
import TestSupport
import Testing

/// What an administrator changes is one thing of a user, whatever was changed since the command read the user.
@Suite struct AdministrationTests {
  @Test func aCommandUndoesNothingThatCameBefore() throws {
    let sandbox = try Sandbox()
    let store = try SQLiteStore(path: sandbox("auth.db"))
    let administration = Administration(store: store, settings: try BackendSettings(issuer: "http://127.0.0.1:8480"))
    let password = SecureBox(try SecureBytes(publicText: Daemon.password))
    let read = try administration.addUser(named: "alice@example.com", password: password)
    // The user sets another password on the page, and another command shuts the account.
    var changed = read
    changed.passwordHash = "$argon2id$another"
    _ = try store.change(changed, ending: .password, now: .now(), denyUntil: nil)
    _ = try administration.setDisabled(true, read)
    changed.isDisabled = true
    #expect(try store.user(id: read.id) == changed)
    _ = try administration.setPassword(SecureBox(try SecureBytes(publicText: "a new and longer password")), of: read)
    let after = try #require(try store.user(id: read.id))
    #expect(after.isDisabled && after.passwordHash?.hasPrefix("$argon2id$v=19$") == true)
    #expect(after.passwordHash != read.passwordHash)
    _ = try administration.setDisabled(false, read)
    #expect(try store.user(id: read.id)?.passwordHash == after.passwordHash)
    var nobody = read
    nobody.id = "user_nobody"
    do throws(Failure) {
      _ = try administration.setDisabled(true, nobody)
      Issue.record("nobody was shut out")
    } catch { #expect(error.code == .notFound) }
  }
}
