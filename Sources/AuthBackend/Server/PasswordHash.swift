public import Basics
public import SecureMemory

/// What is stored of a password.
public enum PasswordHash {
  /// The most bytes of a password.
  public static let limit = 1_024

  /// The hash of a new password: Argon2id (RFC 9106) in its own text form. Throws ``FailureCode/usage`` for one that is no UTF-8 or
  /// has fewer than `least` characters or too many bytes, ``FailureCode/outOfMemory``.
  public static func make(_ password: borrowing SecureBytes, least: Int) throws(Failure) -> String {
    try check(password, least: least)
    return try PasswordChecker.hash(password)
  }

  /// Whether a new password can be one: length alone makes it good (NIST SP 800-63B 5.1.1.2), so nothing is asked of its letters. Throws
  /// as ``make(_:least:)`` does.
  static func check(_ password: borrowing SecureBytes, least: Int) throws(Failure) {
    let isText = unsafe password.withBytes { bytes in
      (try? UTF8Span(validating: unsafe Span<UInt8>(_unsafeBytes: bytes)).count) != nil
    }
    guard isText else { throw Failure(.usage, "the password is no text in UTF-8", hint: "nobody could type it") }
    guard unsafe password.withBytes({ unsafe !$0.contains(0) }) else {
      throw Failure(.usage, "the password has a NUL", hint: "nobody could type it")
    }
    // Bytes that go on a character are not counted.
    let count = unsafe password.withBytes { unsafe $0.count { $0 & 0xC0 != 0x80 } }
    guard count >= least, password.count <= limit else {
      throw Failure(
        .usage, "a password has at least \(least) characters and at most \(limit) bytes; this one has \(count)",
        hint: "choose a longer one; a sentence is good")
    }
  }
}
