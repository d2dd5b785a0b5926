public import Basics
internal import Glibc

/// At which identity providers somebody has signed in from here and not been signed out in the browser since:
/// `state/session/providers-PROFILE`, mode 0600, a JSON object with issuer and client a line. It holds no secret.
///
/// It is kept outside the vault, because what empties the vault, `vault logout` as much as a wipe, does not end the
/// provider's own session: whoever signs in next would be in without a password.
public struct ProviderSessions: Sendable {
  /// The file.
  public let path: String
  private static let limit = 64

  /// The file of a profile.
  public init(_ directories: Directories, profile: ProfileName) {
    path = "\(directories.state)/session/providers-\(profile)"
  }

  private struct Place: Hashable {
    let issuer: String
    let client: String

    init?(_ binding: SessionBinding) {
      guard let issuer = binding.issuer, let client = binding.clientId else { return nil }
      (self.issuer, self.client) = (issuer, client)
    }

    init?(line: ArraySlice<UInt8>) {
      guard let value = try? JSONReader.value(Array(line)), let issuer = value["issuer"]?.string,
        let client = value["clientId"]?.string
      else { return nil }
      (self.issuer, self.client) = (issuer, client)
    }

    var line: String {
      let value: JSONValue = ["issuer": .string(issuer), "clientId": .string(client)]
      return value.text + "\n"
    }
  }

  /// Whether the provider of a binding may know the person still; yes when a line cannot be read. The file is made when it is
  /// missing: where that cannot be done, no earlier sign-in could be noted either. Throws ``FailureCode/inputOutput``,
  /// ``FailureCode/permissions``.
  public func mayKnow(_ binding: SessionBinding) throws(Failure) -> Bool {
    guard let place = Place(binding) else { return false }
    guard let noted = try lines(of: try open()) else { return true }
    return noted.contains { line in Place(line: line).map { $0 == place } ?? true }
  }

  /// Notes a sign-in. Throws as ``mayKnow(_:)`` does.
  public func remember(_ binding: SessionBinding) throws(Failure) {
    guard let place = Place(binding) else { return }
    try edit { places in places = (places.filter { $0 != place } + [place]).suffix(ProviderSessions.limit) }
  }

  /// Notes that the provider's own session has ended. Throws as ``mayKnow(_:)`` does.
  public func forget(_ binding: SessionBinding) throws(Failure) {
    guard let place = Place(binding), try Files.find(path) else { return }
    try edit { places in places.removeAll { $0 == place } }
  }

  private func open() throws(Failure) -> FileDescriptor {
    try Files.openOwn(path, flags: O_RDWR, what: "the list of providers", forbiddenMode: 0o077)
  }

  private func read(_ file: borrowing FileDescriptor) throws(Failure) -> [Place] {
    try lines(of: file)?.compactMap { Place(line: $0) } ?? []
  }

  // Nil when it is too long to be ours.
  private func lines(of file: borrowing FileDescriptor) throws(Failure) -> [ArraySlice<UInt8>]? {
    try file.readToEnd(limit: 1 << 20)?.split(separator: 0x0A)
  }

  private func edit(_ change: (inout [Place]) -> Void) throws(Failure) {
    let file = try open()
    guard try FileLock.acquire(file, until: .now().advanced(bySeconds: 5)) else {
      throw Failure(.lockTimeout, "another mfsctl holds the list of providers")
    }
    let before = try read(file)
    var places = before
    change(&places)
    guard places != before else { return }
    let bytes = Array(places.map(\.line).joined().utf8)
    // Written before it is cut: what a kill leaves behind the new lines is no line of ours.
    guard lseek(file.raw, 0, SEEK_SET) == 0 else { throw .system("write the list of providers") }
    try file.write(bytes)
    guard ftruncate(file.raw, off_t(bytes.count)) == 0, fsync(file.raw) == 0 else {
      throw .system("write the list of providers")
    }
  }
}
