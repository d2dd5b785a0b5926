internal import Basics
internal import HTTPServer

/// One request on its way through the gateway: the steps that Sync Gateway takes, in its order.
struct GatewayCall {
  /// Who a request comes from.
  enum Principal: Equatable {
    case user(String)
    case guest

    /// The user's name; empty for the guest.
    var name: String {
      if case .user(let name) = self { name } else { "" }
    }
  }

  /// Routes of the public class let a bad cookie and a disabled guest pass; regular ones reject both.
  enum Privileges {
    case open, regular
  }

  let gateway: Gateway
  let request: ServerRequest
  let options: GatewayOptions
  let isOffline: Bool
  let now: Timestamp
  /// What knows the identity provider; nil when the database has none.
  let relyingParty: RelyingParty?
  /// What becomes of the WebSocket if this request opens one.
  var fate = SocketFate()
  /// What is added to the answer, refusal or not.
  var headers: HeaderFields = [:]

  mutating func run() -> ServerResponse {
    headers.add("Server", options.server)
    do throws(GatewayError) {
      return try route()
    } catch {
      return GatewayCall.response(error, headers: headers)
    }
  }

  static func response(_ error: GatewayError, headers: HeaderFields) -> ServerResponse {
    var headers = headers
    headers.add("Content-Type", "application/json")
    return ServerResponse(status: error.status, headers: headers, text: error.body)
  }

  /// What comes before every route's own work: the encoding, the database, who is asking, and whether the database is
  /// online. Returns who is asking.
  mutating func enter(
    _ database: String, _ privileges: Privileges, worksOffline: Bool = false, isReplication: Bool = false
  ) throws(GatewayError) -> Principal {
    if let encoding = request.headers.first("Content-Encoding"), !encoding.isEmpty {
      throw GatewayError(415, "Unsupported Content-Encoding; use gzip")
    }
    guard database == options.database else { throw unknownDatabase(database) }
    let principal = try authenticate(privileges, isReplication: isReplication)
    if !worksOffline {
      if isOffline || options.databaseState == .offline { throw .offline }
      if options.databaseState == .starting { throw .starting }
    }
    return principal
  }

  private func unknownDatabase(_ name: String) -> GatewayError {
    switch options.unknownDatabase {
    case .notFound: GatewayError(404, "no such database \"\(name)\"")
    case .unauthorized: providedCredentials ? .invalidLogin : .loginRequired
    }
  }

  /// A document as an answer, if the client takes JSON.
  func json(_ text: String) throws(GatewayError) -> ServerResponse {
    if let accepted = request.headers.first("Accept"), !accepted.isEmpty, !accepted.contains("application/json"),
      !accepted.contains("*/*")
    {
      throw GatewayError(406, "only application/json available")
    }
    var headers = headers
    if request.method != "HEAD" { headers.add("Content-Type", "application/json") }
    return ServerResponse(status: 200, headers: headers, text: request.method == "HEAD" ? "" : text)
  }
}
