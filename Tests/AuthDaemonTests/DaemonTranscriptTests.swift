import Foundation
import TestSupport
import Testing

private let folder = Programs.checkout + "/Tests/AuthDaemonTests/Transcripts"

private func transcripts() -> [String] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return names.filter { $0.hasSuffix(".txt") }.sorted()
}

/// The words of a line that runs mfs-authd itself, behind variables and without the options before the command.
private func commandPaths(_ line: String) -> [[Substring]] {
  line.components(separatedBy: ";").flatMap { $0.components(separatedBy: "|") }.compactMap { part in
    var words = part.split(separator: " ").drop { $0.contains("=") && !$0.hasPrefix("-") }
    guard words.first == "mfs-authd" else { return nil }
    words.removeFirst()
    while let option = words.first, option.hasPrefix("-") { words = words.dropFirst(option == "--config" ? 2 : 1) }
    return ["mfs-authd"] + words
  }
}

@Suite struct DaemonTranscriptTests {
  @Test(arguments: transcripts()) func theCommandLineDoesAsWritten(name: String) throws {
    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    for problem in try Transcript(text).problems() { Issue.record("\(name), \(problem)") }
  }

  /// Every command but the server itself is shown to work and to fail.
  @Test func everyCommandHasATranscript() throws {
    let reference = try run(["mfs-authd", "help", "reference"], in: Sandbox()).text
    let titles = reference.split(separator: "\n").filter { $0.hasPrefix("##") && $0.contains("# mfs-authd ") }
      .map { $0.drop { $0 == "#" }.dropFirst().split(separator: " ") }
    let commands = titles.filter { title in !titles.contains { $0.count > title.count && $0.starts(with: title) } }
    #expect(commands.count > 20)
    var lines: [Transcript.Command] = []
    for name in transcripts() {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      for case .command(let command) in try Transcript(text).steps { lines.append(command) }
    }
    for command in commands {
      let runs = lines.filter { line in commandPaths(line.line).contains { $0.starts(with: command) } }
      let title = command.joined(separator: " ")
      // These need somebody who signs in: the tests of the process show them.
      let isShown = ["mfs-authd serve", "mfs-authd device remove"].contains(title)
      #expect(runs.contains { $0.status == 0 } || isShown, "no transcript has '\(title)' working")
      #expect(runs.contains { $0.status != 0 }, "no transcript has '\(title)' failing")
    }
  }

  @Test func theReferenceIsFresh() throws {
    let result = try run(["mfs-authd", "help", "reference"], in: Sandbox())
    let file = try String(contentsOfFile: Programs.checkout + "/docs/BACKEND-CLI.md", encoding: .utf8)
    #expect(result.status == 0 && result.text == file, "docs/BACKEND-CLI.md is stale; run 'make generate'")
  }

  @Test func theDocumentOfTheSettingsIsFresh() throws {
    let result = try run(["mfs-authd", "config", "docs"], in: Sandbox())
    let file = try String(contentsOfFile: Programs.checkout + "/docs/BACKEND-SETTINGS.md", encoding: .utf8)
    #expect(result.status == 0 && result.text == file, "docs/BACKEND-SETTINGS.md is stale; run 'make generate'")
  }
}
