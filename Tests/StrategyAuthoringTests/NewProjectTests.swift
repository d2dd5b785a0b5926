import Foundation
import TestSupport
import Testing

/// What `mfsctl strategy new` makes is built, tried and used as its README says, with what is on this machine.
@Suite struct NewProjectTests {
  /// A language, and who compiles it.
  struct Way: Sendable, CustomTestStringConvertible {
    let language: String
    let settings: [String]
    var testDescription: String { ([language] + settings).joined(separator: " ") }
  }

  /// One way has the kit's full length, which takes long with programs that are built for tests.
  static let short = "CYCLES=20"

  // Rust is built by scripts/check-plugins.
  static let ways = [
    Way(language: "c", settings: ["CC=gcc", "CFLAGS=-O2 -Wall -Wextra -Werror -pedantic"]),
    Way(language: "c", settings: ["CC=clang", "CFLAGS=-O2 -Wall -Wextra -Werror -pedantic", short]),
    Way(language: "swift", settings: [short]),
  ]

  @Test(arguments: ways) func aNewProjectBuildsPassesTheKitAndSignsIn(way: Way) throws {
    let sandbox = try Sandbox()
    try requireStaged()
    let made = try run(["mfsctl", "strategy", "new", "badge_2", "--language", way.language], in: sandbox)
    try #require(made.status == 0 && made.text == "badge_2\n", "\(made.errorText)")
    let build = try make(["build"] + way.settings, in: sandbox)
    try #require(build.status == 0, "\(build.text)\(build.errorText)")
    let check = try make(["test"] + way.settings, in: sandbox)
    #expect(check.status == 0, "\(check.text)\(check.errorText)")
    #expect(check.errorText.contains("nothing found by 12 checks"), "\(check.errorText)")
    #expect(check.errorText.contains("4 settings, nothing wrong"), "\(check.errorText)")
    // The strategy does sign in in the kit's script, so that the kit has tried it on all its ways.
    let kit = try run(
      ["mfsctl", "--json", "strategy", "check", "--cycles", "2", sandbox("badge_2/libmfs-strategy-badge_2.so")],
      in: sandbox)
    #expect(kit.text.contains(#""outcomes":["login: done","refresh: done","logout: done"]"#), "\(kit.text)")
    if way.settings.first == "CC=gcc" {
      let asan = try make(["asan"], in: sandbox)
      #expect(
        asan.status == 0 && asan.errorText.contains("nothing found by 14 checks"), "\(asan.text)\(asan.errorText)")
    }
    let signin = try make(["signin"] + way.settings, in: sandbox)
    #expect(signin.status == 0, "\(signin.text)\(signin.errorText)")
    #expect(signin.text.contains("Signed in as alice with badge_2."), "\(signin.text)")
    #expect(signin.text.contains("the server was told"), "\(signin.text)")
    // Nothing of that touched the user's own.
    #expect(!FileManager.default.fileExists(atPath: sandbox("home/data")))
    let installed = try make(["install"] + way.settings, in: sandbox)
    #expect(installed.status == 0, "\(installed.errorText)")
    let shown = try run(["mfsctl", "strategy", "show", "badge_2"], in: sandbox)
    #expect(shown.text.contains("nobody has said that it can be trusted"), "\(shown.text)\(shown.errorText)")
  }

  @Test(arguments: ["c", "swift", "rust"]) func nothingOfTheTemplateIsLeft(language: String) throws {
    let sandbox = try Sandbox()
    try requireStaged()
    try #require(try run(["mfsctl", "strategy", "new", "badge", "--language", language], in: sandbox).status == 0)
    let files = try #require(FileManager.default.enumerator(atPath: sandbox("badge"))).allObjects.map { "\($0)" }
    #expect(files.contains("README.md") && files.contains(".gitignore") && files.contains("mfs-strategy-badge.yaml"))
    for file in files where file.contains(".") || file == "Makefile" {
      let path = sandbox("badge/\(file)")
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!(file + text).lowercased().contains("mystrategy"), "\(file)")
    }
  }

  // Names that YAML or a language could take for something else.
  @Test(arguments: ["null", "12", "true", "int", "0x1f", "_"]) func everyNameOfAManifestIsAName(name: String) throws {
    let sandbox = try Sandbox()
    try requireStaged()
    try #require(try run(["mfsctl", "strategy", "new", name, "--language", "c"], in: sandbox).status == 0)
    let built = try run(["make", "-C", name], in: sandbox)
    try #require(built.status == 0, "\(built.errorText)")
    let checked = try run(
      ["mfsctl", "strategy", "check", "--cycles", "2", "\(name)/libmfs-strategy-\(name).so"], in: sandbox)
    #expect(checked.status == 0, "\(checked.text)\(checked.errorText)")
    let linted = try run(["mfsctl", "env", "catalog", "check", "\(name)/app/env/catalog.yaml"], in: sandbox)
    #expect(linted.status == 0, "\(linted.errorText)")
  }

  @Test func whatIsThereIsNotOverwritten() throws {
    let sandbox = try Sandbox()
    try requireStaged()
    try sandbox.write("full/mine", "mine")
    try sandbox.write("file", "mine")
    try FileManager.default.createDirectory(atPath: sandbox("empty"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: sandbox("link"), withDestinationPath: "empty")
    for place in ["full", "file", "link"] {
      let made = try run(["mfsctl", "strategy", "new", "badge", "--output", place], in: sandbox)
      #expect(made.status == 11 && made.errorText.contains("\(place) is there already"), "\(made.errorText)")
    }
    #expect(try String(contentsOfFile: sandbox("full/mine"), encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox("full")) == ["mine"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox("empty")).isEmpty)
    #expect(try run(["mfsctl", "strategy", "new", "badge", "--output", "empty/"], in: sandbox).status == 0)
    #expect(FileManager.default.fileExists(atPath: sandbox("empty/Makefile")))
    // Nor is anything left of what was begun.
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path).sorted()
    #expect(names == ["empty", "file", "full", "link"], "\(names)")
  }

  /// Names whose letters are more than one byte each, and one that begins with a mark that joins the slash before it.
  @Test(arguments: ["déjà", "日本語", "\u{301}x", String(repeating: "語", count: 80)])
  func aProjectIsMadeBesideWhereItIsToStand(name: String) throws {
    let sandbox = try Sandbox()
    try requireStaged()
    // A folder's name that nothing can be put behind: what is made is made in it, or cannot be made.
    let folder = String(repeating: "x", count: 250)
    try FileManager.default.createDirectory(atPath: sandbox(folder), withIntermediateDirectories: false)
    let made = try run(
      ["mfsctl", "strategy", "new", "badge", "--language", "c", "--output", "\(folder)/\(name)//"], in: sandbox)
    #expect(made.status == 0, "\(made.errorText)")
    #expect(FileManager.default.fileExists(atPath: sandbox(folder) + "/\(name)/Makefile"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox(folder)).count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path) == [folder])
  }

  private func make(_ arguments: [String], in sandbox: Sandbox) throws -> RunResult {
    // The compilers and the toolchain are where this process has them.
    let path = "\(Programs.buildFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    return try run(["make", "-C", "badge_2"] + arguments, in: sandbox, environment: ["PATH": path], seconds: 600)
  }
}

/// The build folder must be complete.
func requireStaged() throws {
  try #require(
    FileManager.default.fileExists(atPath: Programs.buildFolder + "/share/mfsctl/templates"),
    "what new plugins are made of is not beside the programs: run the tests by 'make test'")
}
