internal import CBuildInfo
public import CommandLine
internal import Glibc

/// The version of the toolkit, by semantic versioning (semver.org).
public let toolkitVersion = MFS_VERSION

/// What `--version` says of an executable of the toolkit; `more` are the libraries that it alone links.
public func versionOf(program: String, more: [(name: String, version: String)] = []) -> ProgramVersion {
  ProgramVersion(
    program: program, version: toolkitVersion, commit: unsafe String(cString: build_info_commit()),
    libraries: linkedLibraries() + more)
}
