import Foundation

/// The commands that a page of `docs/` has for its reader, so that a test can follow it to the letter.
public enum Guide {
  /// What stands in the blocks of shell (` ```sh `) below one heading, in order. Throws when there are none.
  public static func commands(of page: String, below heading: String) throws -> [String] {
    let text = try String(contentsOfFile: "\(Programs.checkout)/docs/\(page)", encoding: .utf8)
    var blocks: [[Substring]] = []
    var isBelow = false, isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if isInside {
        if line == "```" { isInside = false } else if isBelow { blocks[blocks.count - 1].append(line) }
      } else if line.hasPrefix("#") {
        isBelow = line.drop { $0 == "#" }.dropFirst() == heading
      } else if line == "```sh" {
        isInside = true
        if isBelow { blocks.append([]) }
      }
    }
    guard !blocks.isEmpty else { throw Missing(page: page, heading: heading) }
    return blocks.map { $0.joined(separator: "\n") + "\n" }
  }

  /// A script that runs some of them one after the other in Bash, to the first that fails, and ends what they left running. Servers
  /// that the page has at port 8480 are at `port`.
  public static func script(_ steps: [String], port: UInt16) -> String {
    """
    set -euo pipefail
    trap 'jobs -p | xargs --no-run-if-empty kill 2>/dev/null || true; wait' EXIT
    export MFS_AUTHD_LISTEN_PORT=\(port)

    """
      + steps.enumerated().map { "echo '--- \($0.offset)'\n\($0.element)" }.joined()
      .replacing("127.0.0.1:8480", with: "127.0.0.1:\(port)")
  }

  /// What each of the steps printed.
  public static func answers(_ text: String) -> [String] {
    var answers: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("--- ") {
        answers.append("")
      } else if !answers.isEmpty {
        answers[answers.count - 1] += line + "\n"
      }
    }
    return answers
  }

  private struct Missing: Error, CustomStringConvertible {
    let page: String
    let heading: String
    var description: String { "docs/\(page) has no commands below '\(heading)'" }
  }
}
