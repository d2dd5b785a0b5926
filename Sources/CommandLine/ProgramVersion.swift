public import Basics

/// What `--version` says: the program, the commit it was made from, and the libraries it runs with.
public struct ProgramVersion: Sendable {
  let program: String
  let version: String
  let commit: String
  let libraries: [(name: String, version: String)]

  /// `libraries` are names with versions, e.g. `("libsodium", "1.0.18")`.
  public init(program: String, version: String, commit: String, libraries: [(name: String, version: String)]) {
    self.program = program
    self.version = version
    self.commit = commit
    self.libraries = libraries
  }

  /// One a line.
  public var text: String {
    let lines = ["\(program) \(version)", "commit \(commit)"] + libraries.map { "\($0.name) \($0.version)" }
    return lines.joined(separator: "\n")
  }

  /// The document of `--version --json`.
  public var json: JSONValue {
    [
      "program": .string(program), "version": .string(version), "commit": .string(commit),
      "libraries": .object(libraries.map { JSONValue.Member($0.name, .string($0.version)) }),
    ]
  }
}
