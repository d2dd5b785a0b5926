internal import AuthBackend
public import BackendStore
public import Basics

/// What a client's registration may be.
public enum ClientCheck {
  /// `grant_type`s that a client can have.
  public static let grants = [
    "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
    "urn:ietf:params:oauth:grant-type:token-exchange",
  ]

  /// Throws ``FailureCode/configuration`` with all that is wrong.
  public static func check(_ client: Client) throws(Failure) {
    let faults = faults(of: client)
    guard let first = faults.first else { return }
    guard faults.count > 1 else { throw first }
    throw Failure(
      first.code, faults.map(\.description).joined(separator: "\n"), hint: "correct each; nothing was changed")
  }

  /// All that is wrong, each a ``FailureCode/configuration``.
  static func faults(of client: Client) -> [Failure] {
    let id = OutsideText.clean(MisplacedSecret.without(client.id), limit: 80)
    var faults: [Failure] = []
    func refuse(_ problem: String, _ hint: String) {
      faults.append(Failure(.configuration, "the client '\(id)' \(problem)", hint: hint))
    }
    if !isWord(client.id, limit: 128, also: "._:-") {
      refuse("has an id that cannot be one", "use 1 to 128 of A-Z a-z 0-9 . _ : -")
    }
    if MisplacedSecret.isIn(client.id) || MisplacedSecret.isIn(client.audience) {
      refuse(
        "has a secret for an id or an audience",
        "it has been seen where names are shown, so use it no more; the id is what the app calls itself")
    }
    if !(1...80).contains(client.name.count) || client.name != OutsideText.clean(client.name, limit: 80) {
      refuse("has a name that cannot be shown", "use 1 to 80 characters, on one line")
    }
    for uri in client.redirectURIs + client.postLogoutRedirectURIs {
      do throws(Failure) { try RedirectURICheck.check(uri) } catch { faults.append(error) }
    }
    if Set(client.redirectURIs).count != client.redirectURIs.count {
      refuse("names a redirect URI twice", "remove one of them")
    }
    if client.grants.contains("authorization_code"), client.redirectURIs.isEmpty {
      refuse("has no redirect URI, and may ask for codes", "name one, or leave authorization_code out")
    }
    for grant in client.grants.sorted() where !grants.contains(grant) {
      refuse(
        "has the grant '\(OutsideText.clean(grant, limit: 80))', which there is not",
        EditDistance.suggestion(for: grant, among: grants).map { "did you mean '\($0)'?" }
          ?? "they are: \(grants.joined(separator: ", "))")
    }
    for scope in client.scopes where scope.isEmpty || !scope.utf8.allSatisfy(isScopeByte) {
      refuse("has a scope that cannot be one", "use printable ASCII without blanks, quotes and backslashes")
    }
    if !isAudience(client.audience) { refuse("has an audience that cannot be one", "use a name or a URL") }
    if !(0...10).contains(client.graceSeconds) { refuse("has a grace of \(client.graceSeconds) s", "use 0 to 10") }
    for name in client.properties.keys.sorted() where !isWord(name, limit: 64, also: "-") {
      refuse("has a property '\(OutsideText.clean(name, limit: 64))'", "use a-z 0-9 -")
    }
    for (name, form) in PropertyForm.all {
      guard let value = client.properties[name], !value.isEmpty, !form.isRight(value) else { continue }
      refuse("has a property \(name) that cannot be one", "write \(form.words)")
    }
    return faults
  }

  private static func isScopeByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C }

  static func isAudience(_ text: String) -> Bool { isWord(text, limit: 256, also: "._:/-") }

  static func isWord(_ text: String, limit: Int, also: String) -> Bool {
    (1...limit).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || also.utf8.contains(byte)
      }
  }
}
