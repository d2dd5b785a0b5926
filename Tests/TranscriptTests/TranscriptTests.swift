import Foundation
import TestSupport
import Testing

private let folder = Programs.checkout + "/Tests/Transcripts"

private func transcripts() -> [String] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return names.filter { $0.hasSuffix(".txt") }.sorted()
}

@Suite struct TranscriptTests {
  @Test(arguments: transcripts()) func theCommandLineDoesAsWritten(name: String) throws {
    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    for problem in try Transcript(text).problems() { Issue.record("\(name), \(problem)") }
  }

  @Test func thereAreTranscripts() { #expect(!transcripts().isEmpty) }

  /// Every command of the reference is run in some transcript.
  @Test func everyCommandHasATranscript() throws {
    let reference = try run(["mfsctl", "help", "reference"], in: Sandbox()).text
    let titles = reference.split(separator: "\n").filter { $0.hasPrefix("##") && $0.contains("# mfsctl ") }
      .map { $0.drop { $0 == "#" }.dropFirst() }
    let commands = titles.filter { title in !titles.contains { $0.hasPrefix(title + " ") } }
    #expect(commands.count > 20)
    let lines = try transcripts().flatMap { name in
      try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("$ ") }
        .map { $0.split(separator: " ").filter { !$0.hasPrefix("--") }.joined(separator: " ") }
    }
    for command in commands { #expect(lines.contains { $0.contains(command) }, "\(command)") }
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
