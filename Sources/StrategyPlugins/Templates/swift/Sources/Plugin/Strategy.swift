public import CStrategyABI
internal import StrategyKit

/// A name and a password, exchanged for a session of the gateway. The password goes from the person to the host and from
/// the host to the gateway; this code holds a handle.
struct SignInStrategy: RefreshingStrategy, ClosingStrategy {
  static let name = "mystrategy"
  static let version = "0.1.0"

  func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    let gateway = try Gateway(call)
    let question = call.settings["EXPO_PUBLIC_MYSTRATEGY_QUESTION"] ?? "User name"
    let identifier = if let known = call.identifier { known } else { try host.ask(question) }
    guard !identifier.isEmpty else { throw StrategyError(.badCredentials, "The name is empty.") }
    guard let password = try host.askSecret("Password") else {
      throw StrategyError(.badCredentials, "The password is empty.")
    }
    let authorization = try host.basicAuthorization(identifier: .text(identifier), password: password)
    let session = try gateway.openSession(authorization: authorization, host)
    return SignIn(identifier: identifier, session: session, password: password)
  }

  func refresh(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    guard let identifier = try host.stored("auth.identifier"), let password = try host.stored("auth.password") else {
      throw StrategyError(.interactionNeeded, "No password is stored; signing in again is the only way.")
    }
    let authorization = try host.basicAuthorization(identifier: .secret(identifier), password: password)
    return SignIn(identifier: nil, session: try Gateway(call).openSession(authorization: authorization, host))
  }

  func logout(_ call: Call, _ host: Host) throws(StrategyError) {
    // Without a session there is nobody to tell.
    guard let id = try host.stored("auth.sessionId") else { return }
    let name: Part =
      if let stored = try host.stored("auth.cookieName") { .secret(stored) } else { .text(Gateway.defaultCookieName) }
    try Gateway(call).closeSession(id: id, cookieName: name, host)
  }
}

/// What the host calls first.
@c(mfs_strategy_entry)
public func entry(newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
  StrategyPlugin.table(of: SignInStrategy(), newest: newest)
}
