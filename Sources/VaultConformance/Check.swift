internal import Basics

/// One promise: a name to select it by, a sentence, and the steps that show whether it holds.
struct Check: Sendable {
  let name: String
  let summary: String
  let body: @Sendable (Probe) throws(Failure) -> Void

  init(_ name: String, _ summary: String, _ body: @escaping @Sendable (Probe) throws(Failure) -> Void) {
    self.name = name
    self.summary = summary
    self.body = body
  }

  static var all: [Check] { values + commits + instances + logout }
}
