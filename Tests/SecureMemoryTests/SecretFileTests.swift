import Basics
import Glibc
import SecureMemory
import TestSupport
import Testing

/// Which files a secret is read from. As root the owner can be anybody; as anybody else only what is one's own is tried.
@Suite struct SecretFileTests {
  private func code(_ path: String, _ credentials: String? = nil) throws -> FailureCode? {
    do throws(Failure) {
      let secret = try SecretInput.read(file: path, limit: 100, what: "the secret", credentials: credentials)
      #expect(secret.count == 6)
      return nil
    } catch { return error.code }
  }

  @Test func whatOthersCanGetAtIsRefused() throws {
    let sandbox = try Sandbox(), folder = sandbox("credentials")
    let credential = try sandbox.write("credentials/secret", "secret"), file = try sandbox.write("secret", "secret")
    let below = try sandbox.write("credentials/below/secret", "secret")
    for (mode, plain, handedOver) in [
      (0o600, nil, nil), (0o400, nil, nil), (0o440, .permissions, nil), (0o404, .permissions, .permissions),
      (0o444, .permissions, .permissions), (0o420, .permissions, .permissions), (0o450, .permissions, .permissions),
      (0o660, .permissions, .permissions), (0o402, .permissions, .permissions),
    ] as [(mode_t, FailureCode?, FailureCode?)] {
      for path in [credential, file, below] { chmod(path, mode) }
      let shown = "mode \(String(mode, radix: 8))"
      #expect(try code(credential, folder) == handedOver, "\(shown)")
      #expect(try code(credential, folder + "/") == handedOver, "\(shown)")
      // The folder makes the difference, and it alone: no other folder, none that begins alike, none below, no way round.
      #expect(try code(credential) == plain, "\(shown)")
      #expect(try code(file, folder) == plain, "\(shown)")
      #expect(try code(below, folder) == plain, "\(shown)")
      #expect(try code(folder + "/../secret", folder) == plain, "\(shown)")
      #expect(try code(credential, sandbox("cred")) == plain, "\(shown)")
      for none in ["", "/"] { #expect(try code(credential, none) == plain, "\(shown)") }
    }
  }

  @Test func whatAnotherOwnsIsRefused() throws {
    let sandbox = try Sandbox()
    let credential = try sandbox.write("credentials/secret", "secret", mode: 0o440)
    #expect(try code(credential, sandbox("credentials")) == nil)
    guard geteuid() == 0 else { return }
    chown(credential, 65_534, 0)
    #expect(try code(credential, sandbox("credentials")) == .permissions)
  }

  @Test(.timeLimit(.minutes(1))) func nothingButAFileIsACredential() throws {
    let sandbox = try Sandbox(), folder = sandbox("credentials")
    try sandbox.write("credentials/secret", "secret", mode: 0o440)
    mkfifo(folder + "/pipe", 0o600)
    #expect(try code(folder + "/pipe", folder) == .usage)
    #expect(try code(folder + "/none", folder) == .notFound)
  }
}
