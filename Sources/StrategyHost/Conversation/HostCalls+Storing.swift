internal import Basics
internal import Glibc
internal import SecureMemory
internal import StrategyWire

// Forms of secrets, values to store before a run ends, texts to show, and waiting.
extension HostCalls {
  func form(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let fields = request.list("fields") else { throw .status(.badArgument, "`fields` must be a list") }
    let body = try fatally { () throws(Failure) in try SecureBuffer(limit: StrategyLimits.secret) }
    for (index, field) in fields.fields.enumerated() {
      try appendField(field.name, field.value, to: body, isFirst: index == 0)
    }
    return .ok(("secret", .secret(try keep(try contents(body)))))
  }

  /// Adds a field to a form or a query.
  func appendField(
    _ name: String, _ value: PluginValue, to buffer: SecureBuffer, isFirst: Bool
  ) throws(CallEnd) {
    let box: SecureBox
    switch value {
    case .text(let text): box = try fatally { () throws(Failure) in SecureBox(try SecureBytes(publicText: text)) }
    case .secret(let handle): box = try secret(handle)
    default: throw .status(.badArgument, "a field is neither a text nor a secret")
    }
    let fits = try fatally { () throws(Failure) in
      try FormEncoding.append(name, box, to: buffer, isFirst: isFirst)
    }
    guard fits else { throw .status(.badArgument, "the fields are too long") }
  }

  func store(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let list = request.list("values"), !list.fields.isEmpty else {
      throw .status(.badArgument, "`values` must be a list")
    }
    var values: [(name: String, value: StrategyValue)] = []
    for (name, value) in list.fields {
      guard grants.mayStore, grants.vault[name]?.access.contains(.store) == true else {
        throw .status(.denied, "storing the value \(OutsideText.clean(name, limit: 60))")
      }
      guard !values.contains(where: { $0.name == name }) else {
        throw .status(.badArgument, "a value stands twice")
      }
      switch value {
      case .secret(let handle): values.append((name, .secret(try secret(handle))))
      case .bytes(let bytes):
        secrets.hide(bytes)
        values.append((name, .secret(bytes)))
      case .instant(let time): values.append((name, .instant(time)))
      default: throw .status(.badArgument, "a value is neither a secret, nor bytes, nor a time")
      }
    }
    let isCurrent = try fatally { () throws(Failure) in try services.store(values) }
    guard isCurrent else { throw .status(.notFound, "the sign-in has ended") }
    return .ok()
  }

  func show(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let text = request.text("text"), !text.isEmpty else { throw .status(.badArgument, "`text` must be a text") }
    guard grants.mayPrompt else { throw .status(.denied, "showing a person something") }
    prompts += 1
    guard prompts <= StrategyLimits.prompts else {
      throw .fatal(Failure(.pluginFailed, "it showed more than \(StrategyLimits.prompts) texts"))
    }
    try fatally { () throws(Failure) in try services.show(OutsideText.clean(text)) }
    return .ok()
  }

  func wait(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let seconds = request.integer("seconds"), (0...600).contains(seconds) else {
      throw .status(.badArgument, "`seconds` must be 0 to 600")
    }
    let start = MonotonicInstant.now(), end = start.advanced(bySeconds: Double(seconds))
    // Once a person was told something, they are who is waited for, and that does not count; not without an end, though.
    let isForPerson = grants.mayPrompt && prompts > 0 && waited < StrategyLimits.patience
    defer {
      if isForPerson {
        let milliseconds = MonotonicInstant.now().milliseconds(since: start)
        waited += milliseconds
        deadline = deadline.advanced(byMilliseconds: milliseconds)
      }
    }
    var entries = cancellation.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let now = MonotonicInstant.now()
      if now >= end { return .ok() }
      if now >= deadline, !isForPerson { throw .status(.timeout, "the time is up") }
      let until = isForPerson ? end : min(end, deadline)
      let count = unsafe poll(&entries, nfds_t(entries.count), until.millisecondsLeft)
      if count > 0 { throw .status(.cancelled, "the run is being ended") }
    }
  }
}
