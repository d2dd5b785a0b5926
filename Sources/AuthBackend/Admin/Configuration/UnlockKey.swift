public import BackendKeys
public import Basics
internal import SecureMemory
internal import Vault

/// What opens the server's keys: the key file, or a systemd credential.
public enum UnlockKey {
  /// The name of the credential.
  public static let credential = "mfs-authd.key"

  /// The sealer that a configuration names. Throws ``FailureCode/vaultLocked`` when there is no key,
  /// ``FailureCode/permissions`` when others can get at it, ``FailureCode/vaultWrongKey`` when it has another size.
  public static func sealer(_ configuration: BackendConfiguration) throws(Failure) -> Sealer {
    if let file = configuration.keyFile {
      try Files.checkPlain(file, what: "the key file")
      do throws(Failure) {
        return Sealer(.keyFile(SecureBox(try KeyFile.read(file, credentials: configuration.credentials))))
      } catch {
        guard error.code == .vaultLocked else { throw error }
        throw Failure(
          .vaultLocked, "there is no key file \(OutsideText.clean(file, limit: 300))",
          hint: "is MFS_AUTHD_KEY_FILE right? 'mfs-authd init' makes the first one; for a lost one put its copy back")
      }
    }
    guard let folder = configuration.credentials else {
      throw Failure(
        .vaultLocked, "there is neither a key file nor a systemd credential \(credential)",
        hint: "set MFS_AUTHD_KEY_FILE, or LoadCredential=\(credential):FILE in the unit")
    }
    return Sealer(.keyFile(SecureBox(try KeyFile.readCredential("\(folder)/\(credential)"))))
  }
}
