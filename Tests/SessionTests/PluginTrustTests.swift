import Foundation
import TestSupport
import Testing

/// A plugin that was pinned, and then is no longer what was pinned or could be changed by somebody: it is not run, and the
/// command says why and what to do.
@Suite struct PluginTrustTests {
  /// What happened to the plugin, as a shell line run in the folder of plugins, and what is said of it.
  struct Change: Sendable, CustomTestStringConvertible {
    let line: String
    let said: String
    let hint: String
    var testDescription: String { line }

    init(_ line: String, _ said: String, hint: String) { (self.line, self.said, self.hint) = (line, said, hint) }
  }

  static let library = "libmfs-strategy-adversary.so"
  static let manifest = "mfs-strategy-adversary.yaml"
  private static let shut =
    "have it in a folder that is yours or root's and that nobody else can change: of what is your own, 'chmod go-w' takes that away"
  private static let pin = "trust it with 'mfsctl strategy trust {folder}/\(library)'"
  private static let record = "../../config/strategies.json"

  private static let inAnother = "cd ..; mkdir open; mv plugins open; ln -s open/plugins plugins; chmod 755 open"

  /// What only root can do to a file.
  static let owners: [Change] =
    [library, manifest].map {
      Change("chown 54321 \($0)", "\($0) belongs to user 54321, not to root or you", hint: shut)
    } + [
      Change("chown 54321 \(record)", "so nothing in it counts", hint: "remove it and trust again"),
      Change("chown 54321 .", "the folder {folder} belongs to user 54321, not to root or you", hint: shut),
      Change(
        "\(inAnother); chown 54321 open", "the folder {parent}/open belongs to user 54321, not to root or you",
        hint: shut),
    ]

  static let modes: [Change] =
    [library, manifest].flatMap { file in
      ["666", "664"].map {
        Change("chmod \($0) \(file)", "\(file) can be changed by others (mode \($0))", hint: shut)
      }
    } + [
      Change("chmod 777 .", "the folder {folder} can be changed by others (mode 777)", hint: shut),
      Change("chmod 1777 .", "the folder {folder} can be changed by others (mode 1777)", hint: shut),
      Change(
        "\(inAnother); chmod 777 open", "the folder {parent}/open can be changed by others (mode 777)", hint: shut),
    ]

  static let contents: [Change] = [
    Change("printf x >>\(library)", "\(library) is not the file that you trusted: it changed", hint: pin),
    Change("echo '#' >>\(manifest)", "\(manifest) is not the file that you trusted: it changed", hint: pin),
    Change("rm \(record)", "nobody has said that it can be trusted", hint: pin),
    Change("echo '{}' >\(record)", "cannot be understood, so nothing in it counts", hint: "remove it and trust again"),
    Change("chmod 644 \(record)", "is not this user's alone", hint: "chmod 600"),
    // A lock file in a folder of the user's own says nothing: who can write the folder could write that as well.
    Change(
      "rm \(record); mfsctl strategy lock .", "nobody has said that it can be trusted", hint: pin),
    Change("rm \(manifest)", "its manifest \(manifest) is missing", hint: "docs/PLUGINS.md"),
    Change("mv \(library) x; ln -s x \(library)", "cannot open \(library)", hint: "docs/PLUGINS.md"),
    Change("mv \(manifest) x; ln -s x \(manifest)", "cannot open \(manifest)", hint: "docs/PLUGINS.md"),
    Change("rm \(library); mkfifo \(library)", "\(library) is not a regular file", hint: "make sure that it is"),
    Change("rm \(library)", "the strategy 'adversary' is not installed", hint: "mfsctl strategy list"),
  ]

  private func check(_ changes: [Change], _ surroundings: Surroundings) throws {
    let hostile = try HostileDevice(surroundings)
    let parent = try run(["realpath", "home/data"], in: hostile.device.sandbox).text.trimmingCharacters(in: .newlines)
    let folder = parent + "/plugins"
    func shell(_ line: String) throws {
      let result = try run(["sh", "-euc", line], in: hostile.device.sandbox)
      try #require(result.status == 0, "\(line): \(result.errorText)")
    }
    try shell("cp -a home/data/plugins kept; cp -a home/config kept-config")
    for change in changes {
      try shell("cd home/data/plugins; \(change.line)")
      let result = try hostile.login(attack: "exit")
      #expect(result.status == 64 && result.text.isEmpty, "\(change): \(result.errorText)")
      for part in [change.said, change.hint] {
        let text = part.replacing("{folder}", with: folder).replacing("{parent}", with: parent)
        #expect(result.errorText.contains(text), "\(change): \(result.errorText)")
      }
      // What is another user's may be what somebody needs as it is.
      #expect(!result.errorText.contains("chown"), "\(change): \(result.errorText)")
      try hostile.expectUnharmed(change.line)
      try shell("rm -rf home/data/plugins home/data/open; cp -a kept home/data/plugins")
      try shell("rm -rf home/config; cp -a kept-config home/config")
    }
    // Put back as it was, it is run, and fails by itself.
    #expect(try hostile.login(attack: "exit").status == 65)
    try hostile.expectVaultOpens()
  }

  @Test(arguments: Surroundings.all.filter(\.hasLandlock))
  func oneThatBelongsToSomebodyElseIsRefused(surroundings: Surroundings) throws {
    guard geteuid() == 0 else {
      return notTested("a plugin that belongs to somebody else: only root can give a file away")
    }
    guard surroundings.isHere() else { return }
    try check(PluginTrustTests.owners, surroundings)
  }

  @Test func oneThatOthersCanChangeIsRefused() throws {
    guard Surroundings.all[0].isHere() else { return }
    try check(PluginTrustTests.modes, Surroundings.all[0])
  }

  @Test func oneThatIsNotWhatWasPinnedIsRefused() throws {
    guard Surroundings.all[0].isHere() else { return }
    try check(PluginTrustTests.contents, Surroundings.all[0])
  }

  /// The library itself is right by every rule, but speaks another ABI or under another name.
  @Test(arguments: [
    (["-DENTRY_VERSION=99"], "99"), (["-DENTRY_NAME=\"other\""], "it does not call itself adversary"),
    (["-DENTRY_FUNCTION=elsewhere"], "entry"),
    (["-DENTRY_NULL"], "it does not speak version 1 of the strategy ABI"),
    (["-DENTRY_LOGIN=0"], "it has no operation 'login', though its manifest says so"),
  ])
  func oneWithAnotherABIIsRefused(flags: [String], said: String) throws {
    guard Surroundings.all[0].isHere() else { return }
    let hostile = try HostileDevice(Surroundings.all[0], flags: flags)
    let result = try hostile.login(attack: "exit")
    #expect(result.status == 64 && result.text.isEmpty, "\(result.errorText)")
    #expect(
      result.errorText.contains("'adversary' is refused") && result.errorText.contains(said), "\(result.errorText)")
    try hostile.expectUnharmed(said)
    try hostile.expectVaultOpens()
  }
}
