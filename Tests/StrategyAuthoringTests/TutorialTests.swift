import Foundation
import TestSupport
import Testing

/// "Your first plugin" of docs/PLUGINS.md, followed to the letter: its commands are run and its edits are made as the page has them.
@Suite struct TutorialTests {
  /// What differs from language to language.
  struct Language: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: String
    /// How the line of `login` begins that the page replaces, and how the page begins the text that takes its place.
    let replaced: String
    /// What the result names, before and after.
    let named: (before: String, after: String)
  }

  static let languages = [
    Language(
      testDescription: "c", source: "strategy.c", replaced: "    if (!mfs_basic(&plugin",
      named: (#"{mfs_text_pair("identifier", identifier)"#, #"{mfs_text_pair("identifier", known)"#)),
    Language(
      testDescription: "swift", source: "Sources/Plugin/Strategy.swift",
      replaced: "    let authorization = try host.basicAuthorization(",
      named: ("SignIn(identifier: identifier,", #"SignIn(identifier: "badge-" + identifier,"#)),
  ]

  @Test(arguments: languages) func itsThreeEditsMakeThePluginThatItSays(_ language: Language) throws {
    try requireStaged()
    let page = try section(), sandbox = try Sandbox()
    let commands = page.components(separatedBy: "\n\n").filter { $0.hasPrefix("    ") }
    let first = try #require(commands.first).replacing(
      "--language c ", with: "--language \(language.testDescription) ")
    try #require(first.contains("--language \(language.testDescription) ") && first.contains("make signin"))
    let made = try shell(first, in: sandbox)
    try #require(made.status == 0, "\(made.text)\(made.errorText)")
    #expect(made.errorText.contains("nothing found by 12 checks"), "\(made.errorText)")
    #expect(made.text.contains("the server was told"), "\(made.text)")

    let manifest = try edit(1, page), question = try edit(2, page)
    try #require(manifest.count == 6 && manifest[1] == "summary" && manifest[3] == "default", "\(manifest)")
    try change(manifest[0], in: sandbox) { replacing($0, "summary: ", with: "summary: \(manifest[2])") }
    try change(manifest[0], in: sandbox) { replacing($0, "    default: ", with: "    default: \(manifest[5])") }
    try #require(question.count == 6 && question[2...4].contains(language.source), "\(question)")
    try change(language.source, in: sandbox) { try inLogin($0) { $0.replacing(question[0], with: question[1]) } }
    let code = try replacement(language, page)
    try change(language.source, in: sandbox) { text in
      try inLogin(text) { replacing($0, language.replaced, with: code) }
    }
    try #require(
      page.contains(#"`known` (`"badge-" + identifier`, the text of `format!`)"#))
    try change(language.source, in: sandbox) { text in
      try inLogin(text) { $0.replacing(language.named.before, with: language.named.after) }
    }

    try #require(commands.dropFirst().first == "    make test signin")
    let unknown = try shell("cd badge; make test signin", in: sandbox)
    #expect(unknown.status != 0 && unknown.errorText.contains("nothing found by 12 checks"), "\(unknown.errorText)")
    let told = "Wrong email or password."
    #expect(page.contains("`\(told)`") && unknown.errorText.contains(told), "\(unknown.errorText)")
    let user = #"--user "badge-alice:$folder/password""#
    try #require(page.contains("`\(user)`"))
    try change("signin.sh", in: sandbox) { $0.replacing(" lab up ", with: " lab up \(user) ") }
    let signin = try shell("cd badge; make signin", in: sandbox)
    #expect(signin.status == 0 && signin.text.contains("the server was told"), "\(signin.text)\(signin.errorText)")
    // What it says it is now is what a person is shown.
    let shown = try shell(
      "cd badge; make install; mfsctl strategy trust --yes $MFSCTL_HOME/data/plugins/*.so; mfsctl strategy show badge",
      in: sandbox)
    #expect(shown.text.contains("A badge number and a PIN."), "\(shown.text)\(shown.errorText)")
  }

  private func section() throws -> String {
    let page = try String(contentsOfFile: Programs.checkout + "/docs/PLUGINS.md", encoding: .utf8)
    let rest = try #require(page.components(separatedBy: "\n## Your first plugin\n").dropFirst().first)
    return try #require(rest.components(separatedBy: "\n## ").first)
  }

  /// The words between backticks of the page's edit of that number, on its one line.
  private func edit(_ number: Int, _ page: String) throws -> [String] {
    let line = try #require(page.components(separatedBy: "\n").first { $0.hasPrefix("\(number). ") })
    return line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  /// What the third edit puts in place of the line that asks for the credential.
  private func replacement(_ language: Language, _ page: String) throws -> String {
    if language.testDescription == "c" {
      let block = try #require(page.components(separatedBy: "   ```c\n").dropFirst().first)
      return try #require(block.components(separatedBy: "   ```").first)
    }
    let line = try #require(page.components(separatedBy: "In Swift the line becomes `").dropFirst().first)
    return "    " + (try #require(line.components(separatedBy: "`").first))
  }

  /// A text with each line that begins so replaced as a whole.
  private func replacing(_ text: String, _ start: String, with line: String) -> String {
    text.components(separatedBy: "\n").map { $0.hasPrefix(start) ? line : $0 }.joined(separator: "\n")
  }

  /// Changes the code of `login`, which is the first of the operations, and leaves the others.
  private func inLogin(_ text: String, _ change: (String) throws -> String) throws -> String {
    let end = try #require(text.range(of: " refresh(")?.lowerBound)
    return try change(String(text[..<end])) + text[end...]
  }

  /// Changes a file of the project. An edit that changes nothing is not the page's any more.
  private func change(_ file: String, in sandbox: Sandbox, _ change: (String) throws -> String) throws {
    let path = sandbox("badge/\(file)")
    let before = try String(contentsOfFile: path, encoding: .utf8), after = try change(before)
    try #require(after != before, "the page's edit of \(file) changes nothing")
    try after.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func shell(_ commands: String, in sandbox: Sandbox) throws -> RunResult {
    // The compilers and the toolchain are where this process has them.
    let path = "\(Programs.buildFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    return try run(
      ["sh", "-e", "-c", "export \(NewProjectTests.short)\n" + commands], in: sandbox, environment: ["PATH": path],
      seconds: 600)
  }
}
