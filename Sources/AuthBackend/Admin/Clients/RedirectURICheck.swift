public import Basics
internal import HTTPClient

/// Which addresses may be registered for the answers of sign-ins (RFC 8252 7, RFC 9700 2.1): `https`, a scheme of the app's own
/// with a dot in it, and plain `http` on loopback. They are compared as strings later, so there are no wildcards.
public enum RedirectURICheck {
  /// Throws ``FailureCode/configuration`` with what is wrong with an address.
  public static func check(_ uri: String) throws(Failure) {
    let shown = OutsideText.clean(uri, limit: 200)
    func refuse(_ problem: String, _ hint: String) -> Failure {
      Failure(.configuration, "the redirect URI '\(shown)' \(problem)", hint: hint)
    }
    guard (1...2_000).contains(uri.utf8.count) else { throw refuse("has a wrong length", "use 1 to 2000 characters") }
    guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("\"<>\\^`{|}".utf8).contains($0) }) else {
      throw refuse("has characters that no URI has", "percent-encode them")
    }
    guard !uri.contains("*") else {
      throw refuse("has a wildcard", "register each address; they are compared as they are")
    }
    guard !uri.contains("#") else { throw refuse("has a fragment", "leave it out (RFC 6749 3.1.2)") }
    let scheme = String(uri.prefix { $0 != ":" })
    switch scheme.lowercased() {
    case "https", "http":
      guard isLowerCase(scheme), let url = HTTPURL(uri) else {
        throw refuse("is no such URL", "write SCHEME://HOST/PATH in ASCII, without a user name")
      }
      guard url.origin.scheme == "https" || isLoopback(url.origin.host) else {
        throw refuse("is plain http, and not on loopback", "use https, or http://127.0.0.1 for an app on a computer")
      }
    default:
      guard isPrivateUse(scheme), uri.dropFirst(scheme.count).hasPrefix(":/") else {
        throw refuse(
          "has a scheme that anybody could use",
          "use https, or a scheme made from a name of yours, such as com.example.app:/callback (RFC 8252 7.1)")
      }
    }
  }

  /// Whether an address is on loopback by name. Of such a one the port is not free, and the name may be resolved to another interface
  /// than loopback, or not at all (RFC 8252 8.3).
  public static func isLocalhost(_ uri: String) -> Bool { HTTPURL(uri)?.origin.host == "localhost" }

  // Addresses are compared as they stand, and apps send the scheme in lower case.
  private static func isLowerCase(_ scheme: String) -> Bool { scheme == scheme.lowercased() }

  private static func isLoopback(_ host: String) -> Bool { ["127.0.0.1", "[::1]", "localhost"].contains(host) }

  // A reversed domain name: letters, digits, '-' and at least one dot between parts.
  private static func isPrivateUse(_ scheme: String) -> Bool {
    let parts = scheme.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 2 && scheme.utf8.first.map { (0x61...0x7A).contains($0) } == true
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2B
          }
      }
  }
}
