internal import Basics

/// Text from a catalog as Markdown (CommonMark 0.31 with GitHub's tables): whatever it holds, it stays text. It makes
/// no HTML, link, table cell, heading or line of its own.
enum Markdown {
  /// One line of prose. Text between a pair of backticks becomes a code span; every other mark is escaped.
  static func prose(_ text: String, inTable: Bool = false) -> String {
    let line = OutsideText.clean(oneLine(text), limit: 4000)
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    let hasPairs = parts.count % 2 == 1
    var out = ""
    for (index, part) in parts.enumerated() {
      if hasPairs, index % 2 == 1, !part.isEmpty {
        out += code(String(part), inTable: inTable)
      } else if index % 2 == 1 {
        out += hasPairs ? "\\`\\`" : "\\`" + escaped(part)
      } else {
        out += (hasPairs || index == 0 ? "" : "\\`") + escaped(part)
      }
    }
    return escapedStart(out)
  }

  /// A code span. Its fence is longer than any run of backticks inside.
  static func code(_ text: String, inTable: Bool = false) -> String {
    let text = OutsideText.clean(text, limit: 4000)
    // A row splits at pipes before code spans are found, and a backslash before one cannot be told from an escape.
    if inTable, text.utf8.contains(0x7C) { return "<code>\(entities(text))</code>" }
    var longest = 0
    var run = 0
    for scalar in text.unicodeScalars {
      run = scalar == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    // A blank at both ends is dropped by readers, so it is safe to add where a backtick would touch the fence.
    let first = text.unicodeScalars.first, last = text.unicodeScalars.last
    let pad = first == "`" || last == "`" || first == " " || text.isEmpty ? " " : ""
    return fence + pad + text + pad + fence
  }

  /// A row of a table. Its cells are Markdown already.
  static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }

  /// The head of a table.
  static func head(_ titles: [String]) -> String { row(titles) + row(titles.map { _ in "---" }) }

  /// The paragraphs of a longer text, each in one line.
  static func paragraphs(_ text: String) -> [String] {
    var paragraphs: [String] = []
    var lines: [Substring] = []
    let all: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false) + [""]
    for line in all {
      if line.allSatisfy({ $0 == " " }) {
        if !lines.isEmpty { paragraphs.append(lines.joined(separator: " ")) }
        lines = []
      } else {
        lines.append(line)
      }
    }
    return paragraphs
  }

  // Everything but letters, digits and blanks as a numeric character reference.
  private static func entities(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      if scalar == " " || isWord(scalar) && scalar != "_" {
        out.unicodeScalars.append(scalar)
      } else {
        out += "&#\(scalar.value);"
      }
    }
    return out
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func escaped(_ text: Substring) -> String {
    var out = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      // An underscore inside a word marks nothing, and names of settings are full of them.
      let isInWord =
        scalar == "_" && index > 0 && index + 1 < scalars.count && isWord(scalars[index - 1])
        && isWord(scalars[index + 1])
      if !isInWord, "\\`*_{}[]<>|#!~&$@".unicodeScalars.contains(scalar) { out += "\\" }
      out.unicodeScalars.append(scalar)
    }
    return out
  }

  // What marks a list, a heading's underline or a log command at the start of a line.
  private static func escapedStart(_ line: String) -> String {
    let line = String(line.drop { $0 == " " })
    guard let first = line.unicodeScalars.first else { return line }
    if "-+=:>.)".unicodeScalars.contains(first) { return "\\" + line }
    let digits = line.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let next = line.dropFirst(digits.count).first, next == "." || next == ")" else {
      return line
    }
    return digits + "\\" + line.dropFirst(digits.count)
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || PatternClass.digit.contains(scalar))
  }
}
