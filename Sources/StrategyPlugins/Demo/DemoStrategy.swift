public import CStrategyABI
internal import StrategyKit

/// Any name signs in; there is no server and nothing that ends.
struct DemoStrategy: Strategy {
  static let name = "demo"
  static let version = "1.0.0"

  func login(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    let given = if let known = call.identifier { known } else { try host.ask("Email or username") }
    let identifier = given.trimmingSpaces()
    guard !identifier.isEmpty else { throw StrategyError(.badCredentials, "The name is empty.") }
    return SignIn(identifier: identifier, session: nil)
  }
}

/// What the host calls first.
@c(mfs_strategy_entry)
public func entry(newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
  unsafe StrategyPlugin.table(of: DemoStrategy(), newest: newest)
}
