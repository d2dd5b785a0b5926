internal import Basics
internal import SecureMemory
internal import StrategyWire

/// A host of answers that stand in a script: every server knows every user, and there is no network. What it gives out as a
/// secret is a canary, by which a leak is known.
final class ScriptedAnswers {
  /// The canaries, each a text that stands nowhere else.
  static let canaries = [
    "canary-session-0f5c1b7e9a", "canary-password-7d21c0e4b8", "canary-stored-3be94f6a05", "canary-token-c8a6d21f97",
  ]
  private static let name = "alice"
  private static let clock = Timestamp(seconds: 1_800_000_000)

  /// The secrets that were given out, so that a result can name them.
  let secrets: SecretStore

  init() throws(Failure) { secrets = try SecretStore() }

  /// The answer to a call that goes well.
  func answer(_ call: HostCall, _ request: WireRecord) throws(Failure) -> WireRecord {
    switch call {
    case .http: return http(request)
    case .vaultUse: return ["secret": .secret(try handle(2))]
    case .vaultRead: return ["value": .bytes(Array(ScriptedAnswers.stored(request.text("name") ?? "").utf8))]
    case .prompt:
      guard request.boolean("secret") == true else {
        return ["text": .text(ScriptedAnswers.name), "empty": .boolean(false)]
      }
      return ["secret": .secret(try handle(1)), "empty": .boolean(false)]
    case .clock:
      return ["wall": .instant(ScriptedAnswers.clock), "monotonic": .integer(MonotonicInstant.now().nanoseconds)]
    case .random:
      let count = Int(clamping: request.integer("count") ?? 0)
      guard (1...4_096).contains(count) else { return [:] }
      // The same each time, so that two runs can be compared.
      return ["bytes": .bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })]
    case .secretNew, .secretJoin, .secretBasic, .secretForm: return ["secret": .secret(try handle(1))]
    case .vaultStore, .promptShow, .wait: return [:]
    case .browserAuthorize:
      return [
        "parameters": .list(["code": .secret(try handle(3)), "id_token": .secret(try handle(3))]),
        "redirectURI": .text("http://127.0.0.1:1/callback"), "codeVerifier": .secret(try handle(3)),
      ]
    case .browserOpen: return ["opened": .boolean(true)]
    case .oidcDiscover: return ["metadata": .text(ScriptedAnswers.metadata)]
    case .oidcVerify:
      return [
        "claims": .text(#"{"sub":"alice","preferred_username":"alice","employeeId":"7"}"#),
        "expiresAt": .instant(ScriptedAnswers.clock.advanced(by: 3_600)),
      ]
    }
  }

  // What is no secret may stand in a result, so it is no canary.
  private static func stored(_ value: String) -> String {
    switch value {
    case "auth.identifier": name
    case "auth.cookieName": "SyncGatewaySession"
    case "auth.sessionExpiresAt", "auth.idTokenExpiresAt": "2037-09-04T18:00:00Z"
    case "auth.employeeId": "7"
    default: canaries[2]
    }
  }

  private func handle(_ canary: Int) throws(Failure) -> UInt64 {
    try secrets.add(SecureBox(try SecureBytes(publicText: ScriptedAnswers.canaries[canary])))
  }

  // What Sync Gateway and an identity provider say, in one: each reads the members it knows.
  private func http(_ request: WireRecord) -> WireRecord {
    let session = ScriptedAnswers.canaries[0], token = ScriptedAnswers.canaries[3]
    let body = """
      {"ok":true,"authentication_handlers":["default","cookie"],"userCtx":{"name":"alice","channels":{"!":1}},\
      "session_id":"\(session)","expires":"2037-09-04T18:00:00Z","cookie_name":"SyncGatewaySession",\
      "access_token":"\(token)","id_token":"\(token)","refresh_token":"\(token)","token_type":"Bearer","expires_in":3600}
      """
    return [
      "status": .integer(200),
      "headers": .list([
        "content-type": .text("application/json"),
        "set-cookie": .text("SyncGatewaySession=\(session); Path=/mfs; Expires=Fri, 04 Sep 2037 18:00:00 GMT"),
      ]), "body": .bytes(Array(body.utf8)),
    ]
  }

  private static let metadata = """
    {"issuer":"https://idp.example.invalid","authorization_endpoint":"https://idp.example.invalid/authorize",\
    "token_endpoint":"https://idp.example.invalid/token","jwks_uri":"https://idp.example.invalid/keys",\
    "response_types_supported":["code","id_token"],"id_token_signing_alg_values_supported":["RS256"]}
    """
}
