internal import Basics

extension LintReport {
  /// The report for people: each finding with its line, the place marked. Only the program's own words begin a line.
  /// `prefix` stands before each file's name.
  public func text(catalog: Catalog, pathPrefix prefix: String = "", color: Bool = false) -> String {
    let paint = Paint(isOn: color)
    var out = ""
    var texts: [String: (document: EnvDocument, secrets: SecretText)] = [:]
    let placed = Set(findings.compactMap { $0.range == nil ? nil : $0.file })
    for file in files where placed.contains(file.name) {
      if let document = file.document { texts[file.name] = (document, SecretText(document, catalog: catalog)) }
    }
    // Findings come by line, and what is hidden on a long one is dear to tell.
    var last: (file: String, line: Int, hidden: Range<Int>?)?
    for finding in findings {
      let file = finding.file.map { LintReport.shownPath(prefix + $0) }
      let place = [file, finding.range.map { "\($0.line):\($0.column)" }].compactMap { $0 }.joined(separator: ":")
      out += place.isEmpty ? "" : paint.bold(place) + ": "
      out += paint.severity(finding.severity, finding.severity.rawValue) + ": "
      out += "\(finding.message) " + paint.dim("[\(finding.rule.rawValue)]")
      if modes.count > 1, finding.modes.count < modes.count {
        out += " (\(finding.modes.map { OutsideText.clean($0, limit: 64) }.joined(separator: ", ")))"
      }
      out += "\n"
      if let range = finding.range, let name = finding.file, let found = texts[name] {
        let line = found.document.text.range(ofLine: range.line)
        if last?.file != name || last?.line != range.line {
          last = (name, range.line, found.secrets.hidden(in: line))
        }
        out += LintReport.excerpt(range, line, found.document.text, last?.hidden, paint, finding.severity)
      }
      if let help = finding.help { out += "  \(paint.dim("help:")) \(help)\n" }
    }
    return out
  }

  /// The count at the end, e.g. `2 errors, 1 warning in 3 files`.
  public var summary: String {
    func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
    let all = "\(count(errors, "error")), \(count(warnings, "warning")) in \(count(files.count, "file"))"
    return omitted.count == 0 ? all : all + "; \(omitted.count) of them are not shown"
  }

  /// A path as it may begin a line of output: not with what a log reader would take for a command of its own.
  static func shownPath(_ path: String) -> String {
    let shown = OutsideText.clean(path, limit: 300)
    guard let first = shown.utf8.first else { return shown }
    return Byte.isWord(first) || first == Byte.dot || first == 0x2F || first >= 0x80 ? shown : "./\(shown)"
  }

  private static func excerpt(
    _ range: SourceRange, _ line: ByteRange, _ text: EnvText, _ hidden: Range<Int>?, _ paint: Paint,
    _ severity: Severity
  ) -> String {
    let start = text.offset(line: range.line, column: range.column)
    let end = range.endLine > range.line ? Int(line.end) : text.offset(line: range.line, column: range.endColumn)
    let excerpt = Excerpt(
      text.bytes[line.indices], range: start..<max(start, end), masked: hidden)
    let number = String(range.line)
    let gutter = String(repeating: " ", count: number.count)
    return "  \(paint.dim("\(number) |")) \(excerpt.line)\n"
      + "  \(paint.dim("\(gutter) |")) \(paint.severity(severity, excerpt.marks))\n"
  }
}

/// Colours, where a terminal takes them.
private struct Paint {
  let isOn: Bool

  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func severity(_ severity: Severity, _ text: String) -> String { wrap(text, severity == .error ? "31" : "33") }

  private func wrap(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
