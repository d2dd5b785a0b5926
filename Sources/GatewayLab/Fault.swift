public import WebSocket

/// Something that goes wrong on purpose: what, for which requests, and how often.
public struct Fault: Sendable, Equatable {
  /// What goes wrong.
  public enum Kind: String, Sendable, CaseIterable {
    /// 401 whatever the credentials are.
    case unauthorized
    /// 403, as a proxy or a read-only guest gets.
    case forbidden
    /// 404.
    case notFound = "not-found"
    /// 429 with `Retry-After`, as a proxy in front answers.
    case tooManyRequests = "too-many-requests"
    /// 500.
    case internalError = "internal-error"
    /// 502 with a proxy's HTML page.
    case badGateway = "bad-gateway"
    /// 503: the database is offline. Who cannot authenticate gets 401 first, as from a real gateway.
    case databaseOffline = "database-offline"
    /// The right answer, late.
    case slow
    /// The connection is cut before any answer; the request is not carried out.
    case cutConnection = "cut-connection"
    /// The request is carried out, but the connection is cut in the midst of the answer.
    case cutAnswer = "cut-answer"
    /// 200 with JSON that ends too early.
    case wrongJSON = "wrong-json"
    /// 200 with bytes that are no text.
    case garbage
    /// 200 with a body of `size` bytes.
    case hugeBody = "huge-body"
    /// 302 to `location`.
    case redirect
    /// The right answer without its `Set-Cookie`.
    case noCookie = "no-cookie"
    /// A 101 that does not answer the handshake's key.
    case wrongAccept = "wrong-accept"
    /// A 101 with a subprotocol that nobody offered.
    case otherSubprotocol = "other-subprotocol"
    /// A 101 whose `Connection` is a list, which LiteCore does not take.
    case connectionList = "connection-list"
    /// A 101 with `Upgrade: WebSocket`, whose case LiteCore does not take.
    case upgradeCase = "upgrade-case"
    /// The WebSocket is opened, and closed with a code.
    case closeSocket = "close-socket"
    /// The WebSocket is opened, and the connection is cut without a closing frame.
    case cutSocket = "cut-socket"
    /// The WebSocket is opened, and pings are not answered.
    case silentSocket = "silent-socket"

    /// One line for `lab scenario`.
    public var summary: String {
      switch self {
      case .unauthorized: "401 \"Invalid login\", whatever the credentials are"
      case .forbidden: "403, as a proxy in front answers"
      case .notFound: "404, as for a wrong path or from a proxy"
      case .tooManyRequests: "429 with Retry-After, as a proxy in front answers"
      case .internalError: "500 \"Internal error\""
      case .badGateway: "502 with a proxy's HTML page"
      case .databaseOffline: "503 \"DB is currently under maintenance\" once the credentials were right"
      case .slow: "the right answer, but only after delay-ms (default 5000)"
      case .cutConnection: "the connection is cut without an answer; nothing is carried out"
      case .cutAnswer: "the request is carried out, then the connection is cut in the midst of the answer"
      case .wrongJSON: "200 with JSON that ends too early, and no cookie"
      case .garbage: "200 with bytes that are no text, and no cookie"
      case .hugeBody: "200 with a body of size bytes (default 1073741824), and no cookie"
      case .redirect: "302 to location (default http://elsewhere.invalid/)"
      case .noCookie: "the right answer without its Set-Cookie"
      case .wrongAccept: "101 with a Sec-WebSocket-Accept that does not answer the key"
      case .otherSubprotocol: "101 with a subprotocol that was not offered"
      case .connectionList: "101 whose Connection is a list"
      case .upgradeCase: "101 with 'Upgrade: WebSocket' instead of 'websocket'"
      case .closeSocket: "the WebSocket is closed with code (default 1001) after delay-ms (default 0)"
      case .cutSocket: "the WebSocket's connection is cut after delay-ms (default 0)"
      case .silentSocket: "the WebSocket is open, and pings are not answered"
      }
    }

    /// The fields of a scenario file that this fault has of its own.
    public var fields: [String] {
      switch self {
      case .slow: ["delay-ms"]
      case .hugeBody: ["size"]
      case .redirect: ["location"]
      case .closeSocket: ["code", "delay-ms"]
      case .cutSocket: ["delay-ms"]
      default: []
      }
    }

    /// Whether it only has a meaning where a WebSocket is opened.
    var isOfReplication: Bool {
      switch self {
      case .wrongAccept, .otherSubprotocol, .connectionList, .upgradeCase, .closeSocket, .cutSocket, .silentSocket: true
      default: false
      }
    }
  }

  /// What goes wrong.
  public var kind: Kind
  /// For which requests; empty is all of them.
  public var operations: Set<Operation> = []
  /// How many of these requests are answered rightly first.
  public var after = 0
  /// How many of them go wrong after that; nil is all.
  public var times: Int?
  /// How late a slow answer comes, or how long a WebSocket stays open, in milliseconds.
  public var delayMilliseconds: Int
  /// How many bytes a huge body has.
  public var size: Int64 = 1 << 30
  /// Where a redirect leads.
  public var location = "http://elsewhere.invalid/"

  /// The code of a closing frame.
  public var closeCode = CloseCode.goingAway

  /// A fault for every request that it has a meaning for.
  public init(_ kind: Kind) {
    self.kind = kind
    delayMilliseconds = kind == .slow ? 5_000 : 0
  }

  /// Whether it is about requests for this.
  func concerns(_ operation: Operation) -> Bool {
    if operations.isEmpty { return !kind.isOfReplication || operation == .replication }
    return operations.contains(operation)
  }
}

/// What a request is about.
public enum Operation: String, Sendable, CaseIterable {
  /// `POST _session`.
  case sessionCreate = "session-create"
  /// `GET` or `HEAD _session`.
  case sessionRead = "session-read"
  /// `DELETE _session`.
  case sessionDelete = "session-delete"
  /// `GET _blipsync`.
  case replication
  /// Anything else.
  case other

  /// One line for `lab scenario`.
  public var summary: String {
    switch self {
    case .sessionCreate: "POST /DB/_session"
    case .sessionRead: "GET and HEAD /DB/_session"
    case .sessionDelete: "DELETE /DB/_session"
    case .replication: "GET /DB/_blipsync"
    case .other: "every other request"
    }
  }

  init(method: String, segments: [String]) {
    switch (segments.count == 2 ? segments[1] : "", method) {
    case ("_session", "POST"): self = .sessionCreate
    case ("_session", "GET"), ("_session", "HEAD"): self = .sessionRead
    case ("_session", "DELETE"): self = .sessionDelete
    case ("_blipsync", "GET"): self = .replication
    default: self = .other
    }
  }
}
