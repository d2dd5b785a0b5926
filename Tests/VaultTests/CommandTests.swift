import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// What the commands do with bytes; Tests/Transcripts has what they print.
@Suite struct CommandTests {
  private func made() throws -> TestVault {
    let vault = try TestVault()
    try vault.create()
    return vault
  }

  private func set(_ vault: TestVault, _ value: Data, _ options: [String] = []) throws -> RunResult {
    try run(
      ["mfsctl", "vault", "set", "x", "--uncatalogued"] + options, in: vault.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile], input: value)
  }

  private func get(_ vault: TestVault, json: Bool = false) throws -> Data {
    try vault.mfsctl(["vault", "get", "x", "--uncatalogued"] + (json ? ["--json"] : [])).output
  }

  @Test(arguments: [
    Data(), Data("text".utf8), Data("two\nlines\n".utf8), Data([0]), Data((0...255).map { UInt8($0) }),
    Data("\"quotes\" and \\ and \t\r\n\u{1}\u{7F} and \u{FC}\u{1F600}\u{2028}".utf8), Data([0xC3]),
    Data([0xED, 0xA0, 0x80]),
    Data("ab".utf8 + [0xFF]), Data(repeating: 0x61, count: 1 << 20),
  ]) func everyByteComesBack(value: Data) throws {
    let vault = try made()
    #expect(try set(vault, value).status == 0)
    #expect(try get(vault) == value)
    struct Document: Decodable { let name: String, encoding: String, value: String }
    let document = try JSONDecoder().decode(Document.self, from: try get(vault, json: true))
    #expect(document.name == "x")
    if String(data: value, encoding: .utf8) != nil, String(validating: value, as: UTF8.self) != nil {
      #expect(document.encoding == "utf8" && Data(document.value.utf8) == value)
    } else {
      #expect(document.encoding == "base64" && Data(base64Encoded: document.value) == value)
    }
  }

  @Test func aValueComesFromWhereItIsSaidTo() throws {
    let vault = try made()
    try vault.sandbox.write("file", "from file\n")
    #expect(try set(vault, Data("stdin".utf8), ["--from-file", "file"]).status == 0)
    #expect(try get(vault) == Data("from file\n".utf8))
    #expect(try set(vault, Data(), ["--from-file", "file", "--trim"]).status == 0)
    #expect(try get(vault) == Data("from file".utf8))
    let line = "mfsctl vault set x --uncatalogued --key-file key --from-fd 5 5<file"
    #expect(try run(["sh", "-c", line], in: vault.sandbox).status == 0)
    #expect(try get(vault) == Data("from file\n".utf8))
    for (options, status) in [
      (["--from-file", "missing"], 10), (["--from-file", "."], 2), (["--from-fd", "9"], 2),
      (["--from-file", "file", "--from-fd", "0"], 2), (["--passphrase-fd", "0"], 2), (["--max-size", "4"], 2),
    ] as [([String], Int32)] {
      #expect(try set(vault, Data("stdin".utf8), options).status == status, "\(options)")
      #expect(try get(vault) == Data("from file\n".utf8))
    }
  }

  @Test func theLimitIsExact() throws {
    let vault = try made()
    #expect(try set(vault, Data(count: 1 << 20)).status == 0)
    #expect(try set(vault, Data(count: 1 << 20 + 1)).status == 2)
    #expect(try set(vault, Data(count: 5 << 20), ["--max-size", "16777216"]).status == 0)
    #expect(try get(vault).count == 5 << 20)
    #expect(try set(vault, Data(), ["--max-size", "0"]).status == 0)
    #expect(try set(vault, Data(count: 1), ["--max-size", "0"]).status == 2)
  }

  @Test func aGeneratedPasswordHas256RandomBits() throws {
    let vault = try made()
    var seen: Set<String> = []
    for _ in 0..<5 {
      let result = try vault.mfsctl(["vault", "dbkey", "create", "main", "--replace", "--show"])
      #expect(result.status == 0)
      #expect(result.text.utf8.count == 43)
      #expect(result.text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      seen.insert(result.text)
    }
    #expect(seen.count == 5)
    #expect(try vault.mfsctl(["vault", "dbkey", "create", "main"]).status == 11)
    #expect(try vault.mfsctl(["vault", "dbkey", "create", "raw", "--raw32", "--show"]).output.count == 32)
  }

  /// It works for anybody, with no memory that may be locked, no home, and nothing open but what it needs.
  @Test func itWorksInAPoorEnvironment() throws {
    let vault = try made()
    chmod(vault.sandbox.path, 0o755)
    try FileManager.default.copyItem(atPath: Programs.buildFolder + "/mfsctl", toPath: vault.sandbox("mfsctl"))
    var command = [vault.sandbox("mfsctl"), "vault", "set", "auth.sessionId", "--key-file", vault.keyFile]
    if geteuid() == 0 {
      _ = try run(["chown", "-R", "65534:65534", vault.sandbox("home"), vault.keyFile], in: vault.sandbox)
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
    }
    let line = "ulimit -l 0; unset HOME; cd /; exec \(command.joined(separator: " "))"
    let result = try run(["sh", "-c", line], in: vault.sandbox, input: Data("poor".utf8))
    #expect(result.status == 0, "\(result.errorText)")
    _ = try run(["chown", "-R", "\(geteuid())", vault.sandbox("home"), vault.keyFile], in: vault.sandbox)
    #expect(try vault.values()["auth.sessionId"] == Array("poor".utf8))
    let closed = try run(["sh", "-c", "mfsctl vault status <&- >&- 2>&-"], in: vault.sandbox)
    #expect(closed.status == 41)
  }
}
