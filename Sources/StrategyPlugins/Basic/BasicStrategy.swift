public import CStrategyABI
internal import StrategyKit

/// User name and password, exchanged for a Sync Gateway session. The password goes from the person to the host and from
/// the host to the gateway; this code holds a handle.
struct BasicStrategy: RefreshingStrategy, ClosingStrategy {
  static let name = "basic"
  static let version = "1.0.0"

  func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    let gateway = try Gateway(call)
    let given = if let known = call.identifier { known } else { try host.ask("Email or username") }
    let identifier = given.trimmingSpaces()
    guard !identifier.isEmpty else { throw StrategyError(.badCredentials, "The user name is empty.") }
    guard !identifier.contains(":") else {
      throw StrategyError(.badCredentials, "A user name with a colon cannot be sent (RFC 7617).")
    }
    guard let password = try host.askSecret("Password") else {
      throw StrategyError(.badCredentials, "The password is empty.")
    }
    let authorization = try host.basicAuthorization(identifier: .text(identifier), password: password)
    let session = try gateway.openSession(authorization: authorization, host)
    return SignIn(
      identifier: identifier, session: session, password: password,
      employeeId: gateway.employeeId(for: session, call, host))
  }

  func refresh(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    let gateway = try Gateway(call)
    guard let identifier = try host.stored("auth.identifier"), let password = try host.stored("auth.password") else {
      throw StrategyError(.interactionNeeded, "No password is stored; signing in again is the only way.")
    }
    let authorization = try host.basicAuthorization(identifier: .secret(identifier), password: password)
    return SignIn(identifier: nil, session: try gateway.openSession(authorization: authorization, host))
  }

  func logout(_ call: Call, _ host: Host) throws(StrategyError) {
    let gateway = try Gateway(call)
    // Without a session there is nobody to tell.
    guard let id = try host.stored("auth.sessionId") else { return }
    let name: Part =
      if let stored = try host.stored("auth.cookieName") { .secret(stored) } else { .text(Gateway.defaultCookieName) }
    try gateway.closeSession(id: id, cookieName: name, host)
  }
}

/// What the host calls first.
@c(mfs_strategy_entry)
public func entry(newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
  unsafe StrategyPlugin.table(of: BasicStrategy(), newest: newest)
}
