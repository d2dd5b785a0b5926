public import Basics
public import SecureMemory

/// What is stored of a password.
public enum PasswordHash {
  /// How many bytes a password has at least (NIST SP 800-63B 5.1.1.2) and at most.
  public static let sizes = 8...1_024

  /// The hash of a new password: Argon2id (RFC 9106) in its own text form. Throws ``FailureCode/usage`` for one that is too short
  /// or too long, ``FailureCode/outOfMemory``.
  public static func make(_ password: borrowing SecureBytes) throws(Failure) -> String {
    guard sizes.contains(password.count) else {
      throw Failure(
        .usage, "a password has \(sizes.lowerBound) to \(sizes.upperBound) bytes, not \(password.count)",
        hint: "choose a longer one; a sentence is good")
    }
    return try PasswordChecker.hash(password)
  }
}
