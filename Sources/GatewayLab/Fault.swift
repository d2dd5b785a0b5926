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
      }
    }

    /// The fields of a scenario file that this fault has of its own.
    public var fields: [String] {
      switch self {
      case .slow: ["delay-ms"]
      case .hugeBody: ["size"]
      case .redirect: ["location"]
      default: []
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
  /// How late a slow answer comes, in milliseconds.
  public var delayMilliseconds = 5_000
  /// How many bytes a huge body has.
  public var size: Int64 = 1 << 30
  /// Where a redirect leads.
  public var location = "http://elsewhere.invalid/"

  /// A fault for every request.
  public init(_ kind: Kind) { self.kind = kind }
}

/// What a request is about.
public enum Operation: String, Sendable, CaseIterable {
  /// `POST _session`.
  case sessionCreate = "session-create"
  /// `GET` or `HEAD _session`.
  case sessionRead = "session-read"
  /// `DELETE _session`.
  case sessionDelete = "session-delete"
  /// Anything else.
  case other

  /// One line for `lab scenario`.
  public var summary: String {
    switch self {
    case .sessionCreate: "POST /DB/_session"
    case .sessionRead: "GET and HEAD /DB/_session"
    case .sessionDelete: "DELETE /DB/_session"
    case .other: "every other request"
    }
  }

  init(method: String, segments: [String]) {
    guard segments.count == 2, segments[1] == "_session" else {
      self = .other
      return
    }
    switch method {
    case "POST": self = .sessionCreate
    case "GET", "HEAD": self = .sessionRead
    case "DELETE": self = .sessionDelete
    default: self = .other
    }
  }
}
