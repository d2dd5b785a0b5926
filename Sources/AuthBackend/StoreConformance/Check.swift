internal import Basics

/// One promise: a name to select it by, a sentence, and the steps that show whether it holds.
struct Check: Sendable {
  let name: String
  let summary: String
  /// Whether chance decides what it sees, so that it is worth doing again.
  let isRace: Bool
  let body: @Sendable (Probe) throws(Failure) -> Void

  init(
    _ name: String, _ summary: String, isRace: Bool = false, _ body: @escaping @Sendable (Probe) throws(Failure) -> Void
  ) {
    self.name = name
    self.summary = summary
    self.isRace = isRace
    self.body = body
  }

  static var all: [Check] {
    rotation + grace + lifetimes + families + codes + sessions + registry + identityLinks + resourceServers + keys
      + devices + findings + findingsOfRotations + deviceCodes + attempts + unredeemed + admission + records + audited
      + races
  }
}
