public import Basics

/// Ids that nobody guesses and that are no secrets: `jti`, `sid`.
public enum TokenID {
  /// 128 random bits as 22 characters of base64url. Throws when the system has no random numbers.
  public static func random() throws(Failure) -> String {
    guard let bytes = TokenBytes(prefix: "", count: 16) else { throw .noRandomNumbers }
    return bytes.text(after: "")
  }
}
