internal import CStrategyABI
internal import StrategyWire

/// A request that the host makes.
public struct HTTPRequest: Sendable {
  /// `GET`, `POST` and so on.
  public var method: String
  /// The whole URL; its origin must be one that the manifest names.
  public var url: String
  /// What is added to the URL's query; a value may be a secret, for a server that takes it nowhere else.
  public var query: [(name: String, value: Part)]
  /// Header fields in order; a value may be a secret.
  public var headers: [(name: String, value: Part)]
  /// The body; nil for none.
  public var body: Part?

  /// A request.
  public init(
    _ method: String, _ url: String, query: [(name: String, value: Part)] = [],
    headers: [(name: String, value: Part)] = [], body: Part? = nil
  ) {
    self.query = query
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// The server's answer, whatever its status; a redirect is an answer too.
public struct HTTPResponse: Sendable {
  /// The status code.
  public let status: Int
  /// Header fields in order, names in lower case.
  public let headers: [(name: String, value: String)]
  /// The body.
  public let body: [UInt8]

  /// An answer, for tests of a strategy.
  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The values of a header field; `name` in lower case.
  public func values(_ name: String) -> [String] { headers.lazy.filter { $0.name == name }.map(\.value) }
}

extension Host {
  /// Makes a request and returns the server's answer. Throws when there is none.
  public func send(_ request: HTTPRequest) throws(StrategyError) -> HTTPResponse {
    let http = unsafe try extensionTable(MFS_EXTENSION_HTTP, mfs_http_t.self)
    var record: WireRecord = [
      "method": .text(request.method), "url": .text(request.url),
      "headers": .list(WireRecord(request.headers.map { .init($0.name, $0.value.wire) })),
    ]
    if !request.query.isEmpty {
      record.fields.append(
        .init("query", .list(WireRecord(request.query.map { .init($0.name, $0.value.wire) }))))
    }
    switch request.body {
    case .text(let text)?: record.fields.append(.init("body", .bytes(Array(text.utf8))))
    case .secret(let secret)?: record.fields.append(.init("body", .secret(secret.handle)))
    case nil: break
    }
    guard let answer = unsafe try call(http.pointee.send, record), let status = answer.integer("status"),
      let headers = answer.list("headers"), let body = answer.bytes("body")
    else { throw Host.malformed }
    return HTTPResponse(
      status: Int(clamping: status),
      headers: headers.fields.compactMap { if case .text(let value) = $0.value { ($0.name, value) } else { nil } },
      body: body)
  }
}
