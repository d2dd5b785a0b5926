public import Basics
internal import Replication

/// What a gateway answered to a replicator's request, and what a replicator does about it.
public struct ReplicatorCheckReport: Sendable {
  /// Where it was asked for, e.g. `wss://sync.example.com:4984/mfs`.
  public let url: String
  let presents: String
  let status: Int?
  let subprotocol: String?
  let correlationID: String?
  let error: ReplicatorError?
  /// What to heed although it works, or beside why it does not.
  public private(set) var warnings: [String]

  mutating func note(_ warning: String) { warnings.append(warning) }

  /// Couchbase Lite's number for what went wrong; nil when nothing did.
  public var code: Int? { error?.sdkCode }
  /// What a replicator does then: `idle`, `offline` while it waits for its next try, or `stopped`.
  public var level: String {
    guard let error else { return "idle" }
    return error.disposition == .permanent ? "stopped" : "offline"
  }
  /// Whether whoever runs the replicator has to start it again, because it stops at trouble that passes.
  public var restartsReplicator: Bool { error?.needsRestart ?? false }

  /// The document for `--json`.
  public var json: JSONValue {
    [
      "url": .string(url), "presents": .string(presents), "offered": .strings(ReplicatorRules.subprotocols),
      "status": status.map { .number($0) } ?? .null, "subprotocol": .optional(subprotocol),
      "correlationId": .optional(correlationID), "code": code.map { .number($0) } ?? .null, "level": .string(level),
      "retries": .optional(error.map { $0.disposition.rawValue }), "restartReplicator": .bool(restartsReplicator),
      "message": .optional(error?.message), "next": .optional(error.map(ReplicatorCheckReport.advice)),
      "warnings": .strings(warnings),
    ]
  }

  /// The same for people, a line each.
  public var lines: [String] {
    guard let error else {
      let log = correlationID.map { ", called \($0) in its log" } ?? ""
      return ["The gateway replicates \(url) with \(subprotocol ?? "no subprotocol")\(log)."]
    }
    return ["A replicator on \(url) gets \(error.sdkCode) and \(behaviour(error))."]
  }

  private func behaviour(_ error: ReplicatorError) -> String {
    switch error.disposition {
    case .transient: "goes offline; it tries again after 2 s, 4 s, 8 s and so on, at most 300 s"
    case .networkDependent: "goes offline; a continuous one tries again when the network has changed"
    case .permanent where error.needsRestart: "stops, although this passes: it has to be started again"
    case .permanent: "stops"
    }
  }

  /// Why the check did not succeed; nil when it did.
  public var failure: Failure? {
    guard let error else { return nil }
    let code: FailureCode
    switch (error.domain, error.code) {
    case (.webSocket, 401): code = .signInNeeded
    default: code = error.disposition == .permanent && !error.needsRestart ? .serverRefused : .network
    }
    let what = status.map { "the gateway answered \($0)" } ?? "the gateway did not answer"
    let text = subprotocol != nil ? "the gateway opened the WebSocket, and then" : what
    return Failure(code, "\(text): \(error.message) (\(error.sdkCode))", hint: ReplicatorCheckReport.advice(error))
  }
}

extension ReplicatorCheckReport {
  private static let ownDatabase = "give each user a local database of their own, or delete it when another signs in"

  static func staleCookie(_ cookie: ReplicationCookie) -> String {
    let end = cookie.expires.map { " until \($0)" } ?? ""
    return
      "the answer sets the cookie \(OutsideText.clean(cookie.name, limit: 80)) anew\(end): a replicator on LiteCore's own "
      + "socket keeps it in the local database and sends it before the next session's, so that after another sign-in it "
      + "goes on as the user before, or gets 401 for a valid session; \(ownDatabase)"
  }

  static func secondThought(isTaken: Bool, milliseconds: Int64) -> String {
    let first = "the gateway refused the ID token, which is good by its time, and "
    return isTaken
      ? first + "took it \(milliseconds / 1_000) s later: it may not have reached the identity provider at first"
      : first
        + "refused it again \(milliseconds / 1_000) s later: see its log for whether it does not know the user, the "
        + "issuer or the client, or cannot reach the identity provider"
  }

  /// What to do about an error.
  static func advice(_ error: ReplicatorError) -> String {
    switch (error.domain, error.code) {
    case (.webSocket, 401):
      "run 'mfsctl session auth-failure --code 10401' and build a new replicator; if a new session is refused too, its local "
        + "database may still send the cookie of the one before: \(ownDatabase)"
    case (.webSocket, 300...399): "no redirect is followed: set EXPO_PUBLIC_SG_URL to where the gateway is"
    case (.webSocket, 403): "check what stands in front of the gateway, and whether it speaks BLIP_3+CBMobile_3 or _4"
    case (.webSocket, 404): "check EXPO_PUBLIC_SG_URL and EXPO_PUBLIC_SG_DB"
    case (.webSocket, 407): "the proxy between here and the gateway wants to be signed in to"
    case (.webSocket, 426), (.webSocket, 1_002): "let what stands in front of the gateway pass WebSockets on"
    case (.webSocket, 400): "check that EXPO_PUBLIC_SG_URL is a gateway's public port"
    case (.webSocket, 500...599): "see the gateway's log, and try again later"
    case (.webSocket, _): "see the gateway's log"
    case (.network, 6):
      "check that the port of EXPO_PUBLIC_SG_URL is one that speaks TLS, and the server's certificate"
    case (.network, 7...11), (.network, 14), (.network, 15):
      "check the server's certificate and the authorities trusted here"
    case (.network, 2): "check the host in EXPO_PUBLIC_SG_URL and the name service"
    case (.network, _), (.posix, _): "check EXPO_PUBLIC_SG_URL and the network, and try again"
    }
  }
}
