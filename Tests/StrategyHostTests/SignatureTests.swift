import Basics
import Foundation
import SecureMemory
import StrategyHost
import Testing

/// Signatures that the real minisign makes and verifies.
struct SignatureTests {
  let folder: PluginFolder
  let keys: MinisignKeys
  init() throws {
    folder = try PluginFolder()
    keys = try MinisignKeys()
    try keys.make("acme")
  }

  private var library: String { folder.path + "/libmfs-strategy-probe.so" }
  private var signature: String { library + ".minisig" }

  private func sign(_ key: String = "acme", password: String = "") throws {
    let secret = try MinisignSecretKey(file: keys.secretKey(key)) { () throws(Failure) in
      try SecureBytes(publicText: password)
    }
    #expect(try StrategySigning.sign(file: library, with: secret) == signature)
  }

  private var catalogue: StrategyCatalogue {
    StrategyCatalogue(.init(folders: [folder.folder(isLocked: false)], runner: "", config: keys.path))
  }

  private func check(_ key: String = "acme") throws {
    _ = try catalogue.trustProposal(file: library, publicKey: MinisignPublicKey(file: keys.publicKey(key)))
  }

  private func refusal(_ words: String, _ key: String = "acme") throws {
    do {
      try check(key)
      Issue.record("it was accepted")
    } catch let error as Failure {
      #expect(error.code == .pluginRefused && error.message.contains(words), "\(error)")
      #expect(error.hint != nil)
    }
  }

  @Test func minisignVerifiesWhatIsSignedHere() throws {
    try sign()
    let said = try keys.minisign("minisign -V -p acme.pub -m \(library)")
    #expect(said.contains("Signature and comment signature verified"))
    #expect(said.contains("file:libmfs-strategy-probe.so\thashed\tmanifest:blake2b-256:"))
    try check()
  }

  @Test func whatMinisignSignsIsVerifiedHere() throws {
    let manifest = folder.path + "/mfs-strategy-probe.yaml"
    try keys.minisign(
      "minisign -S -s acme.key -m \(library) -t \"manifest:blake2b-256:$(b2sum -l 256 \(manifest) | cut -d' ' -f1)\"")
    try check()
    // What minisign writes of itself says nothing of the manifest.
    try keys.minisign("minisign -S -s acme.key -m \(library)")
    try refusal("does not say which manifest belongs to the library")
  }

  @Test func anEncryptedKeyOpensWithItsPasswordOnly() throws {
    try keys.make("locked", password: "correct horse")
    try sign("locked", password: "correct horse")
    try keys.minisign("minisign -V -p locked.pub -m \(library)")
    #expect(throws: Failure(.wrongPassword, "")) { try sign("locked", password: "wrong") }
  }

  @Test func aSecretKeyThatOthersCanReadIsRefused() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: keys.secretKey("acme"))
    #expect(throws: Failure(.permissions, "")) { try sign() }
  }

  @Test(arguments: [
    // Another algorithm, another KDF, a public half of another key, too short, nothing.
    (2, "Ek"), (2 + 2, "Xx"), (54 + 8 + 40, "a public half"), (-1, "cut"), (-2, ""),
  ])
  func whatIsNoSecretKeyIsRefused(at: Int, change: String) throws {
    let path = keys.secretKey("acme")
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    var bytes = try #require(Data(base64Encoded: lines[1]))
    switch at {
    case -1: bytes.removeLast()
    case -2: bytes.removeAll()
    default: bytes[at - 2] ^= 1
    }
    lines[1] = bytes.base64EncodedString()
    try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    #expect(throws: Failure(.configuration, "")) { try sign() }
  }

  @Test func aPublicKeyIsNeitherASecretKeyNorAnythingElse() throws {
    #expect(throws: Failure(.configuration, "")) { try MinisignPublicKey(file: keys.secretKey("acme")) }
    #expect(throws: Failure(.configuration, "")) { try MinisignPublicKey(file: library) }
    #expect(throws: Failure(.notFound, "")) { try MinisignPublicKey(file: keys.publicKey("none")) }
    // The key alone, as 'minisign -P' takes it.
    let whole = try MinisignPublicKey(file: keys.publicKey("acme"))
    try (whole.description + "\n").write(toFile: keys.publicKey("bare"), atomically: false, encoding: .utf8)
    #expect(try MinisignPublicKey(file: keys.publicKey("bare")) == whole)
    // minisign leaves out the zeros in front.
    let said = try keys.minisign("head -1 acme.pub"), shown = whole.idText.drop { $0 == "0" }
    #expect(said == "untrusted comment: minisign public key \(shown)\n")
  }

  @Test func aChangedLibraryManifestOrSignatureIsRefused() throws {
    try refusal("there is no signature libmfs-strategy-probe.so.minisig beside the library")
    try sign()
    try folder.write("mfs-strategy-probe.yaml", PluginFolder.manifest + "# more\n")
    try refusal("the manifest is not the one that was signed with this library")
    try folder.write("mfs-strategy-probe.yaml", PluginFolder.manifest)
    try check()
    let good = try String(contentsOfFile: signature, encoding: .utf8)
    // The comment is signed too; the first one is not.
    for (old, new, isFine) in [
      ("timestamp:", "timestamp:1", false), ("untrusted comment: s", "untrusted comment: S", true),
      ("trusted comment: timestamp", "trusted comment: Timestamp", false),
    ] {
      let at = try #require(good.range(of: old, options: .backwards))
      let changed = isFine ? good.replacingOccurrences(of: old, with: new) : good.replacingCharacters(in: at, with: new)
      try changed.write(toFile: signature, atomically: false, encoding: .utf8)
      if isFine { try check() } else { try refusal("is not the signature of this library: one of them changed") }
    }
    try good.write(toFile: signature, atomically: false, encoding: .utf8)
    try folder.compile("int probe(void) { return 2; }")
    try refusal("is not the signature of this library: one of them changed")
  }

  @Test func aSignatureOfAnotherKeyOrFileIsRefused() throws {
    try keys.make("other")
    try sign("other")
    try refusal("was made with the key ")
    try check("other")
    // Moved to another plugin of the same publisher.
    let moved = try PluginFolder()
    try moved.compile("int probe(void) { return 1; }", name: "second")
    try moved.write(
      "mfs-strategy-second.yaml", PluginFolder.manifest.replacingOccurrences(of: "name: probe", with: "name: second"))
    try FileManager.default.copyItem(
      atPath: signature, toPath: moved.path + "/libmfs-strategy-second.so.minisig")
    #expect(throws: Failure(.pluginRefused, "")) {
      try StrategyCatalogue(.init(folders: [], runner: "", config: keys.path)).trustProposal(
        file: moved.path + "/libmfs-strategy-second.so", publicKey: MinisignPublicKey(file: keys.publicKey("other")))
    }
  }

  @Test(arguments: ["", "x\n", "untrusted comment: x\nRW\ntrusted comment: y\nAA\n", "\u{0}"])
  func whatIsNoSignatureIsRefused(text: String) throws {
    try text.write(toFile: signature, atomically: false, encoding: .utf8)
    try refusal("is not a signature of minisign")
  }

  @Test func anOldSignatureOfTheWholeFileIsRefused() throws {
    try keys.minisign("minisign -S -l -s acme.key -m \(library)")
    try refusal("is a signature of the old form, over the whole file")
  }

  @Test func onlyAPluginWithItsManifestIsSigned() throws {
    try folder.write("mfs-strategy-probe.yaml", "manifest: 2\n")
    #expect(throws: Failure(.pluginRefused, "")) { try sign() }
    try FileManager.default.removeItem(atPath: folder.path + "/mfs-strategy-probe.yaml")
    #expect(throws: Failure(.notFound, "")) { try sign() }
    #expect(throws: Failure(.usage, "")) {
      let key = try MinisignSecretKey(file: keys.secretKey("acme")) { () throws(Failure) in try SecureBytes(count: 0) }
      _ = try StrategySigning.sign(file: "/etc/passwd", with: key)
    }
  }
}
