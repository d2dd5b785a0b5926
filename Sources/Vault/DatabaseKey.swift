public import Basics
internal import CSodium
public import SecureMemory

/// The encryption key of a local database.
public enum DatabaseKey {
  /// The vault's name for a database's key, `mfs.dbkey.<database>`. Throws ``FailureCode/usage``.
  public static func name(_ database: String) throws(Failure) -> KeyName {
    do throws(Failure) {
      let name = try KeyName("mfs.dbkey." + database)
      guard name.isDatabaseKey else { throw Failure(.usage, "a database needs a name") }
      return name
    } catch {
      throw Failure(
        .usage, "'\(OutsideText.clean(database, limit: 140))' is not a database name",
        hint: "use 1 to 118 of A-Z a-z 0-9 . _ -")
    }
  }

  /// 32 random bytes.
  public static func random() throws(Failure) -> SecureBytes { try .random(count: 32) }

  /// A password with 256 random bits: 43 characters of base64url (RFC 4648 section 5, no padding).
  public static func randomPassword() throws(Failure) -> SecureBytes {
    let key = try random()
    let text = try SecureBytes(count: 44)
    unsafe text.withPointer { text in
      unsafe key.withPointer { key in
        _ = unsafe text.withMemoryRebound(to: CChar.self, capacity: 44) { text in
          unsafe sodium_bin2base64(text, 44, key, 32, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
        }
      }
    }
    return try text.prefix(43)
  }
}
