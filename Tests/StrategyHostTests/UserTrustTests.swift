import Basics
import Foundation
import SecureMemory
import StrategyHost
import Testing

/// What a user trusts: exactly what they looked at, or what the publisher whose key they pinned has signed since.
struct UserTrustTests {
  let folder: PluginFolder
  let keys: MinisignKeys
  init() throws {
    folder = try PluginFolder()
    keys = try MinisignKeys()
    try FileManager.default.removeItem(atPath: folder.path + "/strategies.lock")
  }

  private var library: String { folder.path + "/libmfs-strategy-probe.so" }
  private var config: String { keys.path + "/config" }
  private var file: String { config + "/strategies.json" }
  private var catalogue: StrategyCatalogue {
    StrategyCatalogue(.init(folders: [folder.folder(isLocked: false)], runner: "", config: config))
  }

  @discardableResult
  private func trust(key: String? = nil) throws -> TrustProposal {
    let key = try key.map { try MinisignPublicKey(file: keys.publicKey($0)) }
    let proposal = try catalogue.trustProposal(file: library, publicKey: key)
    try catalogue.trust(proposal)
    return proposal
  }

  private func sign(at seconds: Int64 = 1_800_000_000) throws {
    let key = try MinisignSecretKey(file: keys.secretKey("acme")) { () throws(Failure) in try SecureBytes(count: 0) }
    _ = try StrategySigning.sign(file: library, with: key, at: Timestamp(seconds: seconds))
  }

  private func problems() throws -> [String] { try catalogue.entry("probe").problems }

  /// Expects that it is refused (64) for exactly this, and that the next step is to trust it.
  private func expect(_ words: String) throws {
    let entry = try catalogue.entry("probe")
    #expect(entry.problems.count == 1 && entry.problems.allSatisfy { $0.contains(words) }, "\(entry.problems)")
    #expect(entry.refusal?.code == .pluginRefused)
    #expect(entry.refusal?.hint?.contains("mfsctl strategy trust \(library)") == true, "\(entry)")
    #expect(throws: Failure(.pluginRefused, "")) {
      try StrategyHost(
        locations: .init(folders: [folder.folder(isLocked: false)], runner: "", config: config), interruption: .never
      ).run(StrategyCall(strategy: "probe", operation: .login, settings: [:]), services: ScriptedServices())
    }
  }

  private func change(_ old: String, _ new: String) throws {
    let text = PluginFolder.manifest.replacingOccurrences(of: old, with: new)
    try #require(text != PluginFolder.manifest)
    try folder.write("mfs-strategy-probe.yaml", text)
  }

  @Test func whatWasLookedAtIsTrusted() throws {
    try expect("nobody has said that it can be trusted")
    let proposal = try trust()
    #expect(
      proposal.added == [
        "setting:EXPO_PUBLIC_SG_URL", "setting:EXPO_PUBLIC_SG_DB", "http:setting:EXPO_PUBLIC_SG_URL:GET",
        "http:setting:EXPO_PUBLIC_SG_URL:POST", "vault:use:auth.password", "vault:read:auth.identifier", "prompt",
      ])
    #expect(!proposal.isKnown && !proposal.isUpdate)
    #expect(try problems() == [])
    #expect(try catalogue.entry("probe").authority == .user)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try catalogue.trustProposal(file: library, publicKey: nil).isKnown)
  }

  @Test func itIsTheFilesThatAreTrustedAndNotTheirPlace() throws {
    try trust()
    let copy = try PluginFolder()
    let there = StrategyCatalogue(.init(folders: [copy.folder(isLocked: false)], runner: "", config: config))
    #expect(try there.entry("probe").problems == [])
  }

  @Test func aChangedLibraryOrManifestIsRefused() throws {
    try trust()
    try folder.compile("int probe(void) { return 2; }")
    try expect("libmfs-strategy-probe.so is not the file that you trusted: it changed")
    try change("purpose: opens the session", "purpose: opens it")
    try expect("libmfs-strategy-probe.so and mfs-strategy-probe.yaml are not the files that you trusted")
    try trust()
    #expect(try problems() == [])
    try folder.write("mfs-strategy-probe.yaml", PluginFolder.manifest)
    try expect("mfs-strategy-probe.yaml is not the file that you trusted: it changed")
  }

  @Test func agrantThatIsNotPinnedIsRefused() throws {
    try trust()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacingOccurrences(of: #""prompt","#, with: "").write(toFile: file, atomically: false, encoding: .utf8)
    try expect("it asks for what you did not grant: prompt")
  }

  @Test func untrustedIsUntrusted() throws {
    try trust()
    #expect(try catalogue.untrust("probe"))
    try expect("nobody has said that it can be trusted")
    #expect(try !catalogue.untrust("probe"))
    for name in ["basic", "../probe", ""] {
      #expect(throws: Failure(.usage, "")) { try catalogue.untrust(name) }
    }
  }

  @Test func theUsersWordStandsAboveTheLockFiles() throws {
    try folder.lock()
    let locked = StrategyCatalogue(.init(folders: [folder.folder()], runner: "", config: config))
    #expect(try locked.entry("probe").authority == .lock)
    #expect(try locked.entry("probe").problems == [])
    try trust()
    #expect(try locked.entry("probe").authority == .user)
    // Pinned anew by whoever can write the folder, and still not what the user looked at.
    try folder.compile("int probe(void) { return 2; }")
    try folder.lock()
    #expect(try locked.entry("probe").problems.count == 1)
    // And in a folder of the user's own a lock file says nothing.
    _ = try catalogue.untrust("probe")
    try expect("nobody has said that it can be trusted")
  }

  @Test func whatSpeaksAgainstAPluginSpeaksAgainstTrustingIt() throws {
    try folder.chmod("libmfs-strategy-probe.so", 0o777)
    #expect(throws: Failure(.pluginRefused, "")) { try trust() }
    try folder.chmod("libmfs-strategy-probe.so", 0o755)
    try folder.write("mfs-strategy-probe.yaml", "manifest: 1\n")
    #expect(throws: Failure(.pluginRefused, "")) { try trust() }
    #expect(throws: Failure(.usage, "")) { try catalogue.trustProposal(file: "/etc/passwd", publicKey: nil) }
    #expect(throws: Failure(.notFound, "")) {
      try catalogue.trustProposal(file: folder.path + "/libmfs-strategy-none.so", publicKey: nil)
    }
    let own = try BuiltFolder()
    let builtin = StrategyLocations(folders: own.locations.folders, runner: "", config: config)
    #expect(throws: Failure(.usage, "")) {
      try StrategyCatalogue(builtin).trustProposal(file: own.path + "/libmfs-strategy-basic.so", publicKey: nil)
    }
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test(arguments: [0o644, 0o622, 0o660])
  func aFileThatOthersCanGetAtDoesNotCount(mode: Int) throws {
    try trust()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    #expect(try problems().contains { $0.contains("is not this user's alone") })
    #expect(throws: Failure(.permissions, "")) { try trust() }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(try problems() == [])
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: config)
    #expect(try problems().contains { $0.contains("can be changed by others (mode 777)") })
  }

  @Test(arguments: [
    "", "{}", #"{"version":2,"strategies":[]}"#, #"{"version":1,"strategies":[],"more":1}"#,
    #"{"version":1,"strategies":[{"name":"probe"}]}"#, #"{"version":1,"strategies":[{}]}"#, "\u{0}",
  ])
  func aFileThatCannotBeUnderstoodTrustsNothing(text: String) throws {
    try trust()
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    #expect(try problems().contains { $0.contains("cannot be understood, so nothing in it counts") })
    #expect(throws: Failure(.pluginRefused, "")) { try trust() }
  }

  @Test func aSymbolicLinkIsNoFileOfTrust() throws {
    try trust()
    try FileManager.default.moveItem(atPath: file, toPath: config + "/elsewhere")
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: config + "/elsewhere")
    #expect(try !problems().isEmpty)
  }

  @Test func aNewVersionThatThePublisherSignedIsAccepted() throws {
    try keys.make("acme")
    try sign()
    try trust(key: "acme")
    #expect(try problems() == [] && catalogue.entry("probe").authority == .user)
    try folder.compile("int probe(void) { return 2; }")
    try change("version: 1.2.3", "version: 1.3.0")
    try expect("is not the signature of this library: one of them changed")
    try sign(at: 1_800_000_001)
    #expect(try problems() == [])
    let id = try MinisignPublicKey(file: keys.publicKey("acme")).idText
    #expect(try catalogue.entry("probe").authority == .publisher(id))
    // Fewer grants are fine, more are asked about again, and none of those that were granted before.
    try change("methods: [GET, POST]", "methods: [POST]")
    try sign(at: 1_800_000_002)
    #expect(try problems() == [])
    for (old, new, grant) in [
      ("methods: [GET, POST]", "methods: [GET, POST, DELETE]", "http:setting:EXPO_PUBLIC_SG_URL:DELETE"),
      ("access: use", "access: read", "vault:read:auth.password"),
      ("- name: EXPO_PUBLIC_SG_DB", "- name: EXPO_PUBLIC_SG_DB\n  - name: API_KEY", "setting:API_KEY"),
    ] {
      try change(old, new)
      try sign(at: 1_800_000_003)
      try expect("it asks for what you did not grant: \(grant)")
      let proposal = try catalogue.trustProposal(file: library, publicKey: nil)
      #expect(proposal.added == [grant] && proposal.isUpdate)
    }
    // Trusted again without the key: it has signed this, so it stays.
    try trust()
    try change("version: 1.2.3", "version: 1.4.0")
    try sign(at: 1_800_000_004)
    #expect(try problems() == [])
  }

  @Test func anOlderVersionIsNotAccepted() throws {
    try keys.make("acme")
    try sign()
    try trust(key: "acme")
    try change("version: 1.2.3", "version: 1.2.2")
    try sign(at: 1_799_999_999)
    try expect("it was signed before the version that you trusted")
    try FileManager.default.removeItem(atPath: library + ".minisig")
    try expect("its publisher's signature libmfs-strategy-probe.so.minisig is missing")
  }

  @Test func aKeyThatDidNotSignIsDroppedWhenTheFilesAreTrustedAlone() throws {
    try keys.make("acme")
    try sign()
    try trust(key: "acme")
    try folder.compile("int probe(void) { return 2; }")
    #expect(try trust().publicKey == nil)
    try folder.compile("int probe(void) { return 3; }")
    try sign()
    try expect("libmfs-strategy-probe.so is not the file that you trusted: it changed")
  }

  @Test func manyAtOnceLoseNothing() throws {
    let names = (0..<8).map { "probe_\($0)" }
    for name in names {
      try folder.compile("int probe(void) { return 1; }", name: name)
      try folder.write(
        "mfs-strategy-\(name).yaml",
        PluginFolder.manifest.replacingOccurrences(of: "name: probe", with: "name: \(name)"))
    }
    let results = Results(), path = folder.path, catalogue = catalogue
    DispatchQueue.concurrentPerform(iterations: names.count) { index in
      do {
        try catalogue.trust(
          catalogue.trustProposal(file: "\(path)/libmfs-strategy-\(names[index]).so", publicKey: nil))
      } catch { results.add("\(error)") }
    }
    #expect(results.all.isEmpty)
    for name in names { #expect(try catalogue.entry(name).problems == []) }
  }
}

private final class Results: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var all: [String] = []
  func add(_ text: String) { lock.withLock { all.append(text) } }
}
