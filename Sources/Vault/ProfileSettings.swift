public import Basics
internal import CLinux
internal import Glibc
internal import YAML

/// What is settled once for a profile: `config/profiles/PROFILE.yaml`, a mapping with the one field `backend`.
public struct ProfileSettings: Sendable, Equatable {
  /// Where the profile's vault is kept.
  public let backend: BackendKind

  /// Settings of a profile.
  public init(backend: BackendKind) { self.backend = backend }

  /// The path of a profile's settings.
  public static func path(_ request: VaultRequest) -> String {
    "\(request.directories.config)/profiles/\(request.profile).yaml"
  }

  /// The settings of a profile; nil when it has none. Throws ``FailureCode/configuration`` for a file that cannot be
  /// used.
  public static func load(_ request: VaultRequest) throws(Failure) -> ProfileSettings? {
    do throws(Failure) {
      let fields = try YAMLDocument.read(path(request)).fields(of: "a profile", ["backend"])
      let word = try fields.required("backend").word(of: BackendKind.allCases.map(\.rawValue))
      return BackendKind(rawValue: word).map { ProfileSettings(backend: $0) }
    } catch  where error == Failure(.notFound, "") { return nil }
  }

  /// Which backend a profile has: the pinned one, or the file when a vault file stands there without a pin (its maker
  /// was stopped between the two); nil when it has none.
  public static func backend(_ request: VaultRequest) throws(Failure) -> BackendKind? {
    if let settings = try load(request) { return settings.backend }
    return Files.exists(request.vaultDirectory + "/" + request.fileName) ? .file : nil
  }

  /// Throws ``FailureCode/vaultBackendMismatch``, naming both, when a profile is pinned to another backend than `kind`.
  public static func require(_ kind: BackendKind, _ request: VaultRequest) throws(Failure) {
    guard let pinned = try backend(request), pinned != kind else { return }
    throw Failure(
      .vaultBackendMismatch,
      "the vault of '\(request.profile)' is kept in the backend '\(pinned.rawValue)', not in '\(kind.rawValue)'",
      hint:
        "the choice is made once, by 'mfsctl vault init'; it stands in \(OutsideText.clean(path(request), limit: 300))")
  }

  /// Checks that a vault in `kind` can be made for a profile. Throws ``FailureCode/vaultBackendMismatch`` when the profile
  /// has the other backend and ``FailureCode/exists`` when its vault file is there; whether there is a vault in the
  /// Secret Service, only that can say. A pin without a vault, which is what a destroyed one leaves, is fine.
  public static func requireNone(for kind: BackendKind, _ request: VaultRequest) throws(Failure) {
    try require(kind, request)
    let path = "\(request.vaultDirectory)/\(request.fileName)"
    guard kind == .file, Files.exists(path) else { return }
    throw Failure(
      .exists,
      "the profile '\(request.profile)' has a vault already, in the backend '\(kind.rawValue)': "
        + OutsideText.clean(path, limit: 300),
      hint: "'mfsctl vault status' shows it; another --profile has a vault of its own")
  }

  /// Pins the backend, atomically and with mode 0600. Pinning the same again is fine. Throws
  /// ``FailureCode/vaultBackendMismatch`` when another one is pinned.
  public func save(_ request: VaultRequest) throws(Failure) {
    try ProfileSettings.require(backend, request)
    guard try ProfileSettings.load(request) == nil else { return }
    try Files.makePrivateDirectory(request.directories.config + "/profiles")
    let path = ProfileSettings.path(request)
    let temporary = "\(path).\(getpid()).tmp"
    unsafe unlink(temporary)
    do throws(Failure) {
      let file = try FileDescriptor.open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      try file.write(Array("backend: \(backend.rawValue)\n".utf8))
      guard fchmod(file.raw, 0o600) == 0, fsync(file.raw) == 0 else { throw .system("bring the profile to the disk") }
      // link(2) never replaces: of two that pin at once, one wins and the other looks at what it pinned.
      if unsafe link(temporary, path) != 0, clinux_errno() != EEXIST { throw .system("put the profile in place") }
      unsafe unlink(temporary)
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    let folder = try FileDescriptor.open(request.directories.config + "/profiles", flags: O_RDONLY | O_DIRECTORY)
    guard fsync(folder.raw) == 0 else { throw .system("bring the profile to the disk") }
    try ProfileSettings.require(backend, request)
  }
}
