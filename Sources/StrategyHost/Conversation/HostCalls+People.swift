internal import Basics
internal import SecureMemory
internal import StrategyWire

// The calls that reach the vault and a person.
extension HostCalls {
  func vault(_ request: PluginRecord, reading: Bool) throws(CallEnd) -> Reply {
    guard let name = request.text("name") else { throw .status(.badArgument, "`name` must be a text") }
    guard let use = grants.vault[name],
      reading ? use.access.contains(.read) : !use.access.isDisjoint(with: [.use, .read])
    else {
      throw .status(.denied, "\(reading ? "reading" : "using") the value \(OutsideText.clean(name, limit: 60))")
    }
    let value = try fatally { () throws(Failure) -> SecureBox? in
      guard let bytes = try services.vaultValue(name) else { return nil }
      return SecureBox(bytes)
    }
    guard let value else { throw .status(.notFound, "nothing is stored as \(name)") }
    guard reading else { return .ok(("secret", .secret(try keep(value)))) }
    secrets.hide(value)
    return .ok(("value", .bytes(value)))
  }

  func prompt(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let text = request.text("text"), !text.isEmpty else { throw .status(.badArgument, "`text` must be a text") }
    guard grants.mayPrompt else { throw .status(.denied, "asking a person") }
    prompts += 1
    guard prompts <= StrategyLimits.prompts else {
      throw .fatal(Failure(.pluginFailed, "it asked more than \(StrategyLimits.prompts) questions"))
    }
    let isSecret = request.boolean("secret") ?? false
    let question = StrategyPrompt(text: OutsideText.clean(text), isSecret: isSecret)
    let asked = MonotonicInstant.now()
    let answer: SecureBox
    do throws(Failure) {
      answer = SecureBox(try watch.suspended { () throws(Failure) in try services.answer(question) })
    } catch {
      if error.code == .signInNeeded { throw .status(.nobody, "there is nobody to ask") }
      throw .fatal(error)
    }
    deadline = deadline.advanced(byMilliseconds: MonotonicInstant.now().milliseconds(since: asked))
    let empty = ("empty", Reply.Value.boolean(answer.bytes.count == 0))
    if isSecret { return .ok(("secret", .secret(try keep(answer))), empty) }
    guard unsafe answer.bytes.withBytes({ unsafe String(validating: $0, as: UTF8.self) != nil }) else {
      throw .status(.badArgument, "what was typed is not UTF-8")
    }
    return .ok(("text", .secretText(answer)), empty)
  }
}
