public import AuthBackend
public import Basics
internal import DeviceAttestation
internal import JOSE
internal import SecureMemory

/// Where the roots and keys are that attestations of phones are verified with.
public struct AttestationSettings: Equatable, Sendable {
  /// The file of the roots for App Attest; nil for Apple's own.
  public var roots: String?
  /// The Android apps whose integrity tokens are opened here.
  public var packages: [String]
  /// The folder with the two key files of each; nil when there are none.
  public var folder: String?
  /// The folder in which systemd hands credentials over; nil when it hands none.
  public var credentials: String?

  /// Settings; without any, App Attest by Apple's root alone.
  public init(roots: String? = nil, packages: [String] = [], folder: String? = nil, credentials: String? = nil) {
    (self.roots, self.packages, self.folder, self.credentials) = (roots, packages, folder, credentials)
  }

  /// Whether anything is set, so that more than App Attest by Apple's root is verified, or something else.
  var isSet: Bool { roots != nil || !packages.isEmpty }

  /// The verifier, with all files read.
  ///
  /// Throws ``FailureCode/configuration`` for roots and keys that are none, ``FailureCode/permissions`` for a decryption key that others
  /// can get at, ``FailureCode/notFound``, ``FailureCode/usage`` for what is no file and ``FailureCode/inputOutput``.
  public func verifier() throws(Failure) -> VendorAttestation {
    var keys: [String: PlayIntegrityKeys] = [:]
    for package in packages { keys[package] = try integrityKeys(package) }
    return VendorAttestation(roots: try pinnedRoots(), integrityKeys: keys)
  }

  /// All that is wrong with the files.
  public var findings: [ConfigurationFinding] {
    var found: [ConfigurationFinding] = []
    func look(_ name: String, _ body: () throws(Failure) -> Void) {
      do throws(Failure) { try body() } catch {
        found.append(ConfigurationFinding(true, "MFS_AUTHD_" + name, "MFS_AUTHD_\(name): \(error.message)", error.hint))
      }
    }
    look("APP_ATTEST_ROOTS") { () throws(Failure) in _ = try pinnedRoots() }
    // Without a folder that is what is wrong.
    for package in packages {
      guard let folder else { break }
      look("PLAY_INTEGRITY_PACKAGES") { () throws(Failure) in _ = try decryptionKey(folder, package) }
      look("PLAY_INTEGRITY_PACKAGES") { () throws(Failure) in _ = try verificationKey(folder, package) }
    }
    return found
  }

  private func pinnedRoots() throws(Failure) -> PinnedRoots {
    guard let roots else { return try .appleAppAttest() }
    let pem = try Files.read(roots, limit: 1 << 20)
    return try AttestationSettings.named(roots) { () throws(Failure) in try PinnedRoots(pem: pem) }
  }

  private func integrityKeys(_ package: String) throws(Failure) -> PlayIntegrityKeys {
    guard let folder else {
      throw Failure(.configuration, "no folder of keys is set", hint: "set MFS_AUTHD_PLAY_INTEGRITY_FOLDER")
    }
    return try PlayIntegrityKeys(
      decryptionKey: try decryptionKey(folder, package), verificationKey: try verificationKey(folder, package))
  }

  private func decryptionKey(_ folder: String, _ package: String) throws(Failure) -> SecureBytes {
    let file = "\(folder)/\(package).decryption-key", what = "the decryption key of Play Integrity"
    try Files.checkPlain(file, what: what)
    let text = try SecretInput.read(file: file, limit: 4_096, what: what, credentials: credentials)
    return try AttestationSettings.named(file) { () throws(Failure) in try PlayIntegrityKeys.decryptionKey(text) }
  }

  private func verificationKey(_ folder: String, _ package: String) throws(Failure) -> JSONWebKey {
    let file = "\(folder)/\(package).verification-key"
    let text = String(decoding: try Files.read(file, limit: 16_384), as: UTF8.self)
    return try AttestationSettings.named(file) { () throws(Failure) in try PlayIntegrityKeys.verificationKey(text) }
  }

  // What is wrong, with the file that has it.
  private static func named<R: ~Copyable>(_ file: String, _ body: () throws(Failure) -> R) throws(Failure) -> R {
    do throws(Failure) { return try body() } catch {
      throw Failure(error.code, "\(OutsideText.clean(file, limit: 300)): \(error.message)", hint: error.hint)
    }
  }
}
