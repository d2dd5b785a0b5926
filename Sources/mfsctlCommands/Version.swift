internal import CBuildInfo
internal import Glibc

/// The version of the toolkit, by semantic versioning (semver.org).
public let toolkitVersion = "0.1.0"

/// The text of `--version`: the version, the commit and the linked libraries, one a line.
/// `libraries` are names with versions, e.g. `("libsodium", "1.0.18")`.
public func versionText(program: String, libraries: [(name: String, version: String)]) -> String {
  let commit = unsafe String(cString: build_info_commit())
  let lines = ["\(program) \(toolkitVersion)", "commit \(commit)"] + libraries.map { "\($0.name) \($0.version)" }
  return lines.joined(separator: "\n")
}
