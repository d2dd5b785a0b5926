import Testing
import TestSupport

@Suite struct SecretServiceConformanceTests {
  @Test func aVaultInGnomeKeyringKeepsEveryPromise() throws {
    let result = try KeyringSession().run("vault-conformance --backend secret-service", seconds: 180)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.hasSuffix("every promise is kept\n"))
    #expect(result.text.contains("checking logout\n"))
  }

  @Test func theToolSaysWhatItCannotCheck() throws {
    let session = try KeyringSession()
    let result = try session.run("expect 2 vault-conformance --backend nowhere", start: .nothing)
    #expect(result.status == 0, "\(result.errorText)")
    let none = try session.run("expect 23 vault-conformance --backend secret-service", start: .noProvider)
    #expect(none.status == 0, "\(none.errorText)")
    #expect(none.text.contains("org.freedesktop.DBus.Error.ServiceUnknown"))
  }
}
