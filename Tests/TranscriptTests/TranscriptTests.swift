import Foundation
import TestSupport
import Testing

private let folder = Programs.checkout + "/Tests/Transcripts"

private func transcripts() -> [String] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return names.filter { $0.hasSuffix(".txt") }.sorted()
}

private func commandLines() throws -> [Transcript.Command] {
  try transcripts().flatMap { name in
    try Transcript(String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)).steps.compactMap { step in
      if case .command(let command) = step { command } else { nil }
    }
  }
}

/// The words of a line that runs mfsctl itself, without the options before the command; empty for another line.
private func commandPath(_ line: String) -> [Substring] {
  var words = line.split(separator: " ")[...]
  guard words.first == "mfsctl" else { return [] }
  words.removeFirst()
  while let option = words.first, option.hasPrefix("-") { words = words.dropFirst(option == "--profile" ? 2 : 1) }
  return ["mfsctl"] + words
}

@Suite struct TranscriptTests {
  @Test(arguments: transcripts()) func theCommandLineDoesAsWritten(name: String) throws {
    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    for problem in try Transcript(text).problems() { Issue.record("\(name), \(problem)") }
  }

  @Test func thereAreTranscripts() { #expect(!transcripts().isEmpty) }

  /// Every command of the reference is run in some transcript, by its full name, and shown to work and to fail.
  @Test func everyCommandHasATranscript() throws {
    let reference = try run(["mfsctl", "help", "reference"], in: Sandbox()).text
    let titles = reference.split(separator: "\n").filter { $0.hasPrefix("##") && $0.contains("# mfsctl ") }
      .map { $0.drop { $0 == "#" }.dropFirst().split(separator: " ") }
    let commands = titles.filter { title in !titles.contains { $0.count > title.count && $0.starts(with: title) } }
    #expect(commands.count > 20)
    let lines = try commandLines()
    for command in commands {
      let runs = lines.filter { commandPath($0.line).starts(with: command) }
      let title = command.joined(separator: " ")
      #expect(runs.contains { $0.status == 0 }, "no transcript begins '$ \(title)' and works")
      #expect(runs.contains { $0.status != 0 }, "no transcript begins '$ \(title)' and fails")
    }
  }

  /// Each exit status that a session or a strategy command documents is that of a line of a transcript.
  @Test(arguments: [0, 2, 3, 10, 20, 21, 42, 50, 60, 61, 62, 63, 64, 65, 130] as [Int32])
  func everyExitOfSessionAndStrategyHasATranscript(exit: Int32) throws {
    let lines = try commandLines().filter { $0.status == exit }
    #expect(lines.contains { $0.line.contains("mfsctl session") || $0.line.contains("mfsctl strategy") })
  }

  @Test func theReferenceIsFresh() throws {
    let result = try run(["mfsctl", "help", "reference"], in: Sandbox())
    let file = try String(contentsOfFile: Programs.checkout + "/docs/CLI.md", encoding: .utf8)
    #expect(result.status == 0 && result.text == file, "docs/CLI.md is stale; run 'make generate'")
  }

  @Test func theRunnerNoticesEveryKindOfDifference() throws {
    let cases = [
      "$ echo a\n> b", "$ echo a", "$ echo a\n> a\n> b", "$ false", "$ true\n= 1", "$ echo a >&2\n> a",
      "$ echo a; echo b\n> a", "$ printf 'abc\\n'\n> a[..]d",
    ]
    for text in cases { #expect(try !Transcript(text).problems().isEmpty, "\(text)") }
    let fine = [
      "$ echo a; echo b >&2; exit 3\n> a\n! b\n= 3", "$ seq 9\n> 1\n> ...\n> 9", "$ echo abc\n> a[..]c",
      "@ file d/x\n  hi\n$ cat d/x\n> hi", "$ true\n> ...",
    ]
    for text in fine { #expect(try Transcript(text).problems().isEmpty, "\(text)") }
    for text in ["> a", "x", "@ what", "$ true\n= x"] {
      #expect(throws: Transcript.FormatError.self) { try Transcript(text) }
    }
  }
}
