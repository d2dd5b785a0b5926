internal import Basics
internal import CommandLine
internal import Glibc
internal import Settings

/// A file that is made from the catalog, and the three things to do with it: print, write, check.
struct GeneratedFile {
  /// Where it stands below the app's folder.
  let place: String
  /// Its text.
  let text: (Catalog) -> String

  func run(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
    let directory = invocation.value("dir") ?? "."
    let (writes, checks) = (invocation.flag("write"), invocation.flag("check"))
    guard !(writes && checks) else { throw Failure(.usage, "--write and --check contradict each other") }
    if let file = invocation.operands.first, !writes, !checks {
      throw Failure(
        .usage, "\(OutsideText.clean(file, limit: 300)) is named, but not what to do with it",
        hint: "add --write or --check")
    }
    let text = text(try Catalog.load(directory: directory, file: invocation.value("catalog")))
    let path = invocation.operands.first ?? (directory == "." ? place : "\(directory)/\(place)")
    if writes { return try write(text, path, isOwnPlace: invocation.operands.isEmpty, console) }
    if checks { return try check(text, path, console) }
    if console.json {
      try console.document(["text": .string(text)])
    } else {
      try console.write(text)
    }
    return .done
  }

  private func write(_ text: String, _ path: String, isOwnPlace: Bool, _ console: Console) throws(Failure) -> ExitCode {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    if isOwnPlace, !folder.isEmpty, !Files.exists(folder), unsafe mkdir(folder, 0o777) != 0 {
      throw .system("make the folder \(OutsideText.clean(folder, limit: 300))")
    }
    try Files.replace(path, with: Array(text.utf8))
    if console.json {
      try console.document(["file": .string(path), "written": true])
    } else {
      console.note("wrote \(OutsideText.clean(path, limit: 300))")
    }
    return .done
  }

  private func check(_ text: String, _ path: String, _ console: Console) throws(Failure) -> ExitCode {
    let shown = OutsideText.clean(path, limit: 300)
    var line: Int?
    var message: String?
    if Files.exists(path) {
      line = GeneratedFile.firstDifference(try Files.read(path, limit: 16 << 20), Array(text.utf8))
      message = line.map { "\(shown):\($0): differs from what the catalog says" }
    } else {
      message = "\(shown): does not exist"
    }
    if console.json {
      try console.document([
        "file": .string(path), "fresh": .bool(message == nil), "line": line.map { .number($0) } ?? .null,
      ])
    } else if let message {
      try console.line(message)
      console.note("to make it anew, run this with --write instead of --check")
    } else {
      console.note("\(shown) is what the catalog says")
    }
    return message == nil ? .done : .found
  }

  /// The first line, from 1, in which two texts differ; nil when they are the same.
  static func firstDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
    var line = 1
    for (x, y) in zip(a, b) {
      if x != y { return line }
      if x == 0x0A { line += 1 }
    }
    return a.count == b.count ? nil : line
  }
}
