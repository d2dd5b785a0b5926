import Basics
import Foundation
import StrategyHost
import Testing

/// Who may have written a plugin, and what is said when somebody else could have.
struct TrustTests {
  let folder: PluginFolder
  init() throws { folder = try PluginFolder() }

  private var library: String { "libmfs-strategy-probe.so" }

  /// Expects exactly one reason, with these words in it.
  private func expect(_ words: String, owners: Set<UInt32> = StrategyLocations.trustedUsers) throws {
    let problems = try folder.problems(owners: owners)
    #expect(problems.count == 1 && problems.allSatisfy { $0.contains(words) }, "\(problems)")
  }

  /// Credentials are bound to these, so none may be missing.
  @Test func theServersThatSettingsNameAreTold() throws {
    let manifest = PluginFolder.manifest.replacingOccurrences(
      of: "- name: EXPO_PUBLIC_SG_DB", with: "- name: EXPO_PUBLIC_SG_DB\n  - name: EXPO_PUBLIC_OTP_URL"
    ).replacingOccurrences(
      of: "  vault:\n",
      with: """
            - origin: setting:EXPO_PUBLIC_OTP_URL
              methods: [POST]
              purpose: checks the code
            - origin: https://codes.example.com
              methods: [GET]
              purpose: is told of the code
          vault:

        """)
    let folder = try PluginFolder(manifest: manifest)
    let host = StrategyHost(locations: folder.locations)
    #expect(host.serverSettings(of: "probe") == ["EXPO_PUBLIC_OTP_URL", "EXPO_PUBLIC_SG_URL"])
    #expect(host.serverSettings(of: "nothing") == [])
    // Those of the toolkit are not looked for: every binding has theirs.
    #expect(host.serverSettings(of: "oidc_code") == [])
  }

  @Test func aGoodOneHasNoProblems() throws { #expect(try folder.problems() == []) }

  @Test(arguments: [0o757, 0o775, 0o666, 0o777], ["libmfs-strategy-probe.so", "mfs-strategy-probe.yaml"])
  func aFileThatOthersCanChange(mode: Int, file: String) throws {
    try folder.chmod(file, mode)
    try expect("\(file) can be changed by others (mode \(String(mode, radix: 8)))")
  }

  @Test func aLockFileThatOthersCanChange() throws {
    try folder.chmod("strategies.lock", 0o666)
    try expect("strategies.lock can be changed by others")
  }

  @Test(arguments: [0o777, 0o775, 0o1777])
  func aFolderThatOthersCanChange(mode: Int) throws {
    try folder.chmod("", mode)
    try expect("can be changed by others")
  }

  @Test func aParentThatOthersCanChange() throws {
    let parent = folder.path + "/open", inner = parent + "/inner"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    for file in [library, "mfs-strategy-probe.yaml", "strategies.lock"] {
      try FileManager.default.copyItem(atPath: folder.path + "/" + file, toPath: inner + "/" + file)
    }
    let locations = StrategyLocations(
      folders: [.init(path: inner, isBuiltin: false, owners: StrategyLocations.trustedUsers)], runner: "")
    let catalogue = StrategyCatalogue(locations)
    #expect(try catalogue.entry("probe").problems == [])
    try folder.chmod("open", 0o777)
    let problems = try catalogue.entry("probe").problems
    #expect(problems == ["the folder \(parent) can be changed by others (mode 777)"])
    // Sticky, as /tmp is: others cannot replace what is not theirs.
    try folder.chmod("open", 0o1777)
    #expect(try catalogue.entry("probe").problems == [])
  }

  @Test func filesOfSomebodyElse() throws {
    // Seen from a user who is not the owner: everything up to the root belongs to somebody else then.
    let problems = try folder.problems(owners: [54_321])
    for file in [library, "mfs-strategy-probe.yaml", "strategies.lock", "the folder /", "the folder \(folder.path)"] {
      #expect(problems.contains { $0.hasPrefix("\(file) belongs to user ") }, "\(file) \(problems)")
    }
  }

  @Test func symbolicLinksAreNotFollowed() throws {
    let target = folder.path + "/elsewhere.so"
    try FileManager.default.moveItem(atPath: folder.path + "/" + library, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + library, withDestinationPath: target)
    try expect("cannot open \(library)")
  }

  @Test func aFIFOIsNoLibrary() throws {
    try FileManager.default.removeItem(atPath: folder.path + "/" + library)
    #expect(unsafe mkfifo(folder.path + "/" + library, 0o600) == 0)
    let problems = try folder.problems()
    #expect(problems.contains("\(library) is not a regular file"))
  }

  @Test func aChangedFileIsNotTheOneThatWasPinned() throws {
    try folder.compile("int probe(void) { return 2; }")
    try expect("\(library) is not the file that strategies.lock names: it changed")
    try folder.lock()
    try folder.write("mfs-strategy-probe.yaml", PluginFolder.manifest + "# more\n")
    try expect("mfs-strategy-probe.yaml is not the file that strategies.lock names: it changed")
    #expect(throws: Failure(.pluginRefused, "")) {
      try StrategyHost(locations: folder.locations, interruption: .never).run(
        StrategyCall(strategy: "probe", operation: .login, settings: [:]), services: ScriptedServices())
    }
  }

  @Test func whatIsNotPinnedIsNotTrusted() throws {
    try folder.write("strategies.lock", "# nothing\n")
    let problems = try folder.problems()
    #expect(problems.count == 2 && problems.allSatisfy { $0.contains("is not in strategies.lock") }, "\(problems)")
    try FileManager.default.removeItem(atPath: folder.path + "/strategies.lock")
    #expect(try folder.problems().count == 2)
  }

  @Test(arguments: [
    "blake2b-256 00 probe libmfs-strategy-probe.so",
    "md5 d41d8cd98f00b204e9800998ecf8427e probe libmfs-strategy-probe.so",
    "blake2b-256 \(String(repeating: "A", count: 64)) probe libmfs-strategy-probe.so",
    "blake2b-256 \(String(repeating: "0", count: 64)) probe libmfs-strategy-other.so",
    "blake2b-256 \(String(repeating: "0", count: 64)) probe ../libmfs-strategy-probe.so",
    "blake2b-256 \(String(repeating: "0", count: 64))  probe libmfs-strategy-probe.so", "\u{0}",
  ])
  func aLockFileThatCannotBeUnderstood(line: String) throws {
    try folder.write("strategies.lock", line + "\n")
    #expect(try folder.problems().contains { $0.contains("line 1 of strategies.lock cannot be understood") })
  }

  @Test func twoDigestsForOneFileAreAnError() throws {
    let text = try String(contentsOfFile: folder.path + "/strategies.lock", encoding: .utf8)
    try folder.write("strategies.lock", text + text)
    #expect(try folder.problems().contains { $0.contains("of strategies.lock cannot be understood") })
  }

  @Test func aMissingManifest() throws {
    try FileManager.default.removeItem(atPath: folder.path + "/mfs-strategy-probe.yaml")
    try expect("its manifest mfs-strategy-probe.yaml is missing")
  }

  @Test func reservedNamesBelongToTheBuiltinFolder() throws {
    try FileManager.default.moveItem(
      atPath: folder.path + "/" + library, toPath: folder.path + "/libmfs-strategy-basic.so")
    let catalogue = StrategyCatalogue(folder.locations)
    #expect(throws: Failure(.pluginRefused, "")) { try catalogue.entry("basic") }
    #expect(try catalogue.list().isEmpty)
    let entry = try catalogue.verify(file: folder.path + "/libmfs-strategy-basic.so")
    #expect(entry.problems.contains("the name 'basic' belongs to mfsctl's own plugin"))
  }

  @Test(arguments: [
    ("mfsctl", "for mfsctl's own"), ("mfsct1", "for mfsctl's own"), ("mfs_ctl", "for mfsctl's own"),
    ("rnfsctl", "for mfsctl's own"), ("mfsctl_security", "for mfsctl's own"), ("the_mfsctl", "for mfsctl's own"),
    ("vault", "those of 'vault'"), ("session", "those of 'session'"),
    ("systern", "those of 'system'"), ("r00t", "those of 'root'"), ("sudo", "those of 'sudo'"),
    ("gnome_keyring", "those of 'gnome_keyring'"), ("pass_word", "those of 'password'"),
    ("bas1c", "plugin 'basic'"), ("basic_", "plugin 'basic'"), ("dem0", "plugin 'demo'"),
    ("oidccode", "plugin 'oidc_code'"), ("oidc__code", "plugin 'oidc_code'"),
  ])
  func aNameThatCouldBeTakenForAnotherIsRefused(name: String, said: String) throws {
    try folder.compile("int probe(void) { return 1; }", name: name)
    try folder.write(
      "mfs-strategy-\(name).yaml",
      PluginFolder.manifest.replacingOccurrences(of: "name: probe", with: "name: \(name)"))
    try folder.lock()
    let problems = try StrategyCatalogue(folder.locations).entry(name).problems
    #expect(problems.count == 1 && problems.allSatisfy { $0.contains(said) }, "\(problems)")
  }

  @Test(arguments: ["badge", "mfs_badge", "systems", "vaults", "kerberos", "basics", "demo_2", "login_gov"])
  func anOrdinaryNameIsFine(name: String) throws {
    try folder.compile("int probe(void) { return 1; }", name: name)
    try folder.write(
      "mfs-strategy-\(name).yaml",
      PluginFolder.manifest.replacingOccurrences(of: "name: probe", with: "name: \(name)"))
    try folder.lock()
    #expect(try StrategyCatalogue(folder.locations).entry(name).problems == [])
  }

  @Test(arguments: ["basic", "oidc_implicit", "oidc_code", "demo", "other", "", "../probe", "Probe", "a/b"])
  func whatIsNotThereIsNotInstalled(name: String) throws {
    do {
      _ = try StrategyCatalogue(folder.locations).entry(name)
      Issue.record("it was found")
    } catch {
      #expect(error.code == .pluginRefused)
      #expect(error.message == "the strategy '\(name)' is not installed")
      #expect(error.hint != nil)
    }
  }

  @Test func theFirstFolderWinsAndABadPluginIsNotPassedOver() throws {
    let second = try PluginFolder()
    try folder.chmod(library, 0o777)
    let locations = StrategyLocations(folders: [folder.folder(), second.folder()], runner: "")
    #expect(try !StrategyCatalogue(locations).entry("probe").isTrusted)
    #expect(try StrategyCatalogue(locations).list().map(\.path) == [folder.path + "/" + library])
  }

  @Test func verifyNamesEachReason() throws {
    try folder.chmod(library, 0o777)
    try folder.write("mfs-strategy-probe.yaml", "name: [")
    let entry = try StrategyCatalogue(folder.locations).verify(file: folder.path + "/" + library)
    #expect(entry.problems.count == 3, "\(entry.problems)")
    let message = try #require(entry.refusal?.message)
    for problem in entry.problems { #expect(message.contains(problem)) }
    #expect(throws: Failure(.usage, "")) { try StrategyCatalogue(folder.locations).verify(file: "/etc/passwd") }
    #expect(throws: Failure(.notFound, "")) {
      try StrategyCatalogue(folder.locations).verify(file: folder.path + "/libmfs-strategy-none.so")
    }
  }
}
