public import CStrategyABI
internal import StrategyKit
internal import StrategyOIDC

/// OpenID Connect by the implicit flow, exchanged for a Sync Gateway session.
struct OIDCImplicitStrategy: RefreshingStrategy, ReportingStrategy {
  static let name = "oidc_implicit"
  static let version = "1.0.0"

  func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn { try ImplicitFlow.login(call, host) }

  func refresh(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    try Renewal.reuse(call, host)
  }

  func signOut(_ call: Call, _ host: Host) throws(StrategyError) -> SignOutReport {
    try Closing.signOut(call, strategy: Self.name, hasRefreshToken: false, host)
  }
}

/// What the host calls first.
@c(mfs_strategy_entry)
public func entry(newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
  unsafe StrategyPlugin.table(of: OIDCImplicitStrategy(), newest: newest)
}
