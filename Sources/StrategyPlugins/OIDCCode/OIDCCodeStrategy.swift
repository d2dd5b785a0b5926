public import CStrategyABI
internal import StrategyKit
internal import StrategyOIDC

/// OpenID Connect by the authorization code flow with PKCE, exchanged for a Sync Gateway session.
struct OIDCCodeStrategy: RefreshingStrategy, ReportingStrategy {
  static let name = "oidc_code"
  static let version = "1.0.0"

  func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn { try CodeFlow.login(call, host) }

  func refresh(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    try Renewal.refresh(call, strategy: Self.name, host)
  }

  func signOut(_ call: Call, _ host: Host) throws(StrategyError) -> SignOutReport {
    try Closing.signOut(call, strategy: Self.name, host)
  }
}

/// What the host calls first.
@c(mfs_strategy_entry)
public func entry(newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
  unsafe StrategyPlugin.table(of: OIDCCodeStrategy(), newest: newest)
}
