import AuthBackend
import BackendAdmin
import Basics
import Foundation
import HTTPServer
import JOSE
import TestSupport
import Testing

/// Sign-in by an ID token of a provider that stands in Apple's or Google's place, at the server as a process.
@Suite struct ProviderTests {
  private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

  @Test func usuallyTheProvidersAreApplesAndGooglesOwn() throws {
    let sandbox = try Sandbox()
    let file = try sandbox.write(
      "c.yaml", "MFS_AUTHD_ISSUER: http://127.0.0.1:8480\nMFS_AUTHD_DATABASE: auth.db\n")
    let configuration = try BackendConfiguration.load(file: file, environment: Environment([:]))
    #expect(configuration.backend.identityProviders == [.apple, .google])
    #expect(configuration.attestation == AttestationSettings())
    // What the catalog says of limits is what the library has without a word.
    var usual = try BackendSettings(issuer: "http://127.0.0.1:8480")
    usual.identityProviders = configuration.backend.identityProviders
    #expect(configuration.backend == usual)
  }

  @Test(arguments: [
    (IdentityProvider.apple, "https://appleid.apple.com", "google"), (.google, "https://accounts.google.com", "apple"),
  ])
  func aTokenOfTheProviderThatIsSetSignsIn(_ own: IdentityProvider, _ usual: String, _ other: String) throws {
    let name = own.name.uppercased()
    let key = try SigningKey.generate(.es256)
    let provider = try Server { request in
      guard request.target.path == "/keys" else { return ServerResponse(status: 404, text: "") }
      return ServerResponse(status: 200, text: JSONWebKeySet([key.publicKey]).json.text)
    }
    defer { provider.stop(grace: 0) }
    func daemon(_ more: [String]) throws -> Daemon {
      let daemon = try Daemon(
        [
          "MFS_AUTHD_\(name)_ISSUERS: [https://id.example.net, id.example.net]",
          "MFS_AUTHD_\(name)_KEYS_URL: \(provider.origin)/keys", "MFS_AUTHD_PRIVATE_HOSTS: [127.0.0.1]",
        ] + more)
      try daemon.admin(
        "client", "add", "native", "--redirect-uri", "com.example.app:/oauth/callback", "--grant",
        ProviderTests.exchange, "--property", "\(own.name)-client-ids=com.example.app", "--property",
        "native-new-users=create")
      try daemon.serve()
      return daemon
    }
    func signIn(_ daemon: Daemon, issuer: String) throws -> String {
      let now = Timestamp.now().seconds
      let token = try key.sign(
        claims: [
          "iss": .string(issuer), "sub": .string("carol"), "aud": "com.example.app", "iat": .integer(now),
          "exp": .integer(now + 600), "nonce": "n-1", "jti": .string(UUID().uuidString),
        ], type: "JWT")
      try daemon.sandbox.write("id-token", token.publicText() ?? "", mode: 0o600)
      return try daemon.get(
        daemon.origin + "/oauth/token", "--data-urlencode", "grant_type=" + ProviderTests.exchange,
        "--data-urlencode", "subject_token@id-token", "--data-urlencode",
        "subject_token_type=urn:ietf:params:oauth:token-type:id_token", "--data", "nonce=n-1", "--data",
        "client_id=native", "--write-out", "%{http_code}"
      ).text
    }
    let server = try daemon([])
    for issuer in ["https://id.example.net", "id.example.net"] {
      let answer = try signIn(server, issuer: issuer)
      #expect(answer.hasSuffix("200") && answer.contains("\"access_token\""), "\(answer)")
    }
    // Whose tokens are usually taken is nobody any more.
    #expect(try signIn(server, issuer: usual).contains("invalid_grant"))
    #expect(try server.stop().status == 0)
    // Nobody's token is taken who is not listed.
    let closed = try daemon(["MFS_AUTHD_IDENTITY_PROVIDERS: [\(other)]"])
    #expect(try signIn(closed, issuer: "https://id.example.net").contains("invalid_grant"))
  }
}
