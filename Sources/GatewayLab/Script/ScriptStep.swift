internal import Basics
internal import WebSocket
internal import YAML

/// One step of a script as it stands in the file.
struct ScriptStep {
  private static let week: Int64 = 7 * 86_400_000
  private static let fields = ["at", "for", "set", "faults", "idp", "clock", "do", "code"]

  /// When it begins and ends, in milliseconds after the beginning; nil for one that lasts.
  let begin: Int64
  let end: Int64?
  /// What changes of the gateway's configuration and the provider's part.
  let set: YAMLFields?
  let idp: YAMLNode?
  let faults: [Fault]
  /// By how many seconds the clock is moved.
  let clock: Int64
  let actions: [Script.Action]

  /// Reads a step. Unknown fields, steps that do nothing and fields without a meaning are errors.
  init(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "a step", ScriptStep.fields)
    let begin = try LabDuration.milliseconds(try fields.required("at"), in: 0...ScriptStep.week)
    self.begin = begin
    set = try fields.optional("set").map { (node) throws(Failure) in
      try node.fields(of: "the gateway's configuration", GatewayOptions.fields)
    }
    idp = fields.optional("idp")
    faults = try (fields.optional("faults")?.items() ?? []).map { (node) throws(Failure) in try Fault(node) }
    clock = try fields.optional("clock").map { (node) throws(Failure) in try ScriptStep.seconds(node) } ?? 0
    actions = try ScriptStep.actions(fields)
    let lasts = set != nil || idp != nil || !faults.isEmpty || clock != 0
    guard lasts || !actions.isEmpty else {
      throw node.failure("this step changes nothing", hint: "add one of set, faults, idp, clock and do")
    }
    guard let span = fields.optional("for") else {
      end = nil
      return
    }
    guard lasts else {
      throw span.failure(
        "'for' has no meaning for what happens once", hint: "leave it out, or add set, faults, idp or clock")
    }
    end = begin + (try LabDuration.milliseconds(span, in: 1...ScriptStep.week))
  }

  private static func seconds(_ node: YAMLNode) throws(Failure) -> Int64 {
    let limit = 3_650 * 86_400_000 as Int64
    let milliseconds = try LabDuration.milliseconds(node, in: -limit...limit)
    guard milliseconds != 0, milliseconds % 1_000 == 0 else {
      throw node.failure("the clock goes by whole seconds", hint: "write for example 90s, 2h or -5m")
    }
    return milliseconds / 1_000
  }

  private static func actions(_ fields: YAMLFields) throws(Failure) -> [Script.Action] {
    var code = CloseCode.goingAway
    let words = try fields.optional("do")?.items() ?? []
    if let node = fields.optional("code") {
      guard words.contains(where: { (try? $0.text()) == "close-replications" }) else {
        throw node.failure("'code' has no meaning here", hint: "add 'do: [close-replications]'")
      }
      code = try Fault.closeCode(node)
    }
    return try words.map { (node) throws(Failure) -> Script.Action in
      let word = try node.word(of: Script.Action.all.map(\.name))
      guard let action = Script.Action.all.first(where: { $0.name == word }) else {
        throw Failure(.bug, "the word '\(word)' was accepted and has no meaning")
      }
      if case .closeReplications = action { return .closeReplications(code) }
      return action
    }
  }

  /// Whether it is in force at a moment.
  func holds(at moment: Int64) -> Bool { begin <= moment && end.map { moment < $0 } ?? true }

  /// Whether it is about the identity provider.
  var needsProvider: Bool { idp != nil || actions.contains(.rotateKeys) || actions.contains(.endSignIns) }

  /// What it does, on a line.
  var summary: String {
    var parts: [String] = []
    if let set { parts.append("set " + set.entries.map(\.name).joined(separator: " ")) }
    parts += faults.map { fault in
      let places = fault.operations.map(\.rawValue).sorted().joined(separator: " ")
      return "fault \(fault.kind.rawValue)" + (places.isEmpty ? "" : " on \(places)")
    }
    if let names = try? idp?.entries().map(\.name) { parts.append("idp " + names.joined(separator: " ")) }
    if clock != 0 { parts.append("clock \(LabDuration.text(clock * 1_000))") }
    parts += actions.map { action in
      if case .closeReplications(let code) = action { "\(action.name) \(code.rawValue)" } else { action.name }
    }
    return OutsideText.clean(parts.joined(separator: ", "), limit: 300)
  }
}
