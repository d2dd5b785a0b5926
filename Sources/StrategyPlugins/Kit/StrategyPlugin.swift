public import CStrategyABI
internal import StrategyBridge
internal import StrategyWire

/// The plugin's side of the ABI: from the C table to the methods of a ``Strategy`` and back.
public enum StrategyPlugin {
  // C function pointers carry no context; a plugin is one strategy, and a process runs one plugin.
  private nonisolated(unsafe) static var strategy: (any Strategy)?

  /// The table to return from `mfs_strategy_entry`, or nil when the host speaks no version that this SDK does.
  public static func table(of strategy: some Strategy, newest: UInt32) -> UnsafePointer<mfs_strategy_t>? {
    guard newest >= UInt32(MFS_STRATEGY_ABI_VERSION) else { return nil }
    unsafe self.strategy = strategy
    let name = type(of: strategy).name, version = type(of: strategy).version
    let table = UnsafeMutablePointer<mfs_strategy_t>.allocate(capacity: 1)
    unsafe table.initialize(
      to: mfs_strategy_t(
        struct_size: UInt32(MemoryLayout<mfs_strategy_t>.size), abi_version: UInt32(MFS_STRATEGY_ABI_VERSION),
        name: constant(name), version: constant(version), header: constant(MFS_STRATEGY_FINGERPRINT),
        login: { host, call, sink in unsafe StrategyPlugin.run(host, call, sink) },
        refresh: strategy is any RefreshingStrategy ? { unsafe StrategyPlugin.run($0, $1, $2) } : nil,
        logout: strategy is any ClosingStrategy || strategy is any ReportingStrategy
          ? { unsafe StrategyPlugin.run($0, $1, $2) } : nil))
    return unsafe UnsafePointer(table)
  }

  private static func constant(_ text: String) -> mfs_slice_t {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = unsafe bytes.initialize(from: text.utf8)
    return unsafe mfs_slice_t(ptr: UnsafePointer(bytes.baseAddress), len: UInt64(bytes.count))
  }

  private static func run(
    _ host: UnsafePointer<mfs_host_t>, _ call: UnsafePointer<mfs_call_t>, _ sink: UnsafePointer<mfs_sink_t>
  ) {
    let result: LentRecord
    do throws(StrategyError) {
      result = LentRecord(try unsafe perform(call.pointee, Host(host)))
    } catch {
      let message = LentRecord([:])
      var failure = unsafe mfs_failure_t(
        struct_size: UInt32(MemoryLayout<mfs_failure_t>.size), reason: error.reason.rawValue,
        message: message.lend(error.message.utf8), http_status: Int64(error.status ?? 0),
        retry_after: Int64(error.retryAfter ?? -1))
      unsafe sink.pointee.failure(sink.pointee.context, &failure)
      return
    }
    unsafe sink.pointee.success(sink.pointee.context, result.record)
  }

  private static func perform(_ call: mfs_call_t, _ host: Host) throws(StrategyError) -> WireRecord {
    guard let settings = unsafe WireRecord(copying: call.settings) else {
      throw StrategyError(.internal, "the host's settings are malformed")
    }
    let identifier = unsafe call.identifier.ptr == nil ? nil : String(slice: call.identifier)
    var texts: [String: String] = [:]
    for field in settings.fields { if case .text(let text) = field.value { texts[field.name] = text } }
    let request = Call(settings: texts, identifier: identifier)
    switch (unsafe Int(call.operation), unsafe strategy) {
    case (Int(MFS_LOGIN), let strategy?): return try strategy.login(request, host).record
    case (Int(MFS_REFRESH), let strategy as any RefreshingStrategy): return try strategy.refresh(request, host).record
    case (Int(MFS_LOGOUT), let strategy as any ReportingStrategy): return try strategy.signOut(request, host).record
    case (Int(MFS_LOGOUT), let strategy as any ClosingStrategy):
      try strategy.logout(request, host)
      return [:]
    default: throw StrategyError(.internal, "the strategy has no such operation")
    }
  }
}

extension SignOutReport {
  /// The result as docs/PLUGINS.md has it.
  var record: WireRecord {
    var record: WireRecord = [:]
    for (name, step) in [("gateway", gateway), ("revocation", revocation), ("endSession", endSession)] {
      record.fields.append(.init(name, .text(step.outcome.rawValue)))
      if let message = step.message { record.fields.append(.init("\(name).message", .text(message))) }
    }
    return record
  }
}

extension SignIn {
  /// The result as docs/PLUGINS.md has it.
  var record: WireRecord {
    var record: WireRecord = ["session": .text(session == nil ? "none" : "cookie")]
    if let identifier { record.fields.append(.init("identifier", .text(identifier))) }
    if let password { record.fields.append(.init("password", .secret(password.handle))) }
    if let session {
      record.fields.append(.init("sessionId", .secret(session.id.handle)))
      record.fields.append(.init("cookieName", .text(session.cookieName)))
      if let expires = session.expires { record.fields.append(.init("sessionExpiresAt", .instant(expires))) }
    }
    if let tokens {
      record.fields.append(.init("idToken", .secret(tokens.idToken.handle)))
      record.fields.append(.init("idTokenExpiresAt", .instant(tokens.expires)))
      if let token = tokens.refreshToken { record.fields.append(.init("refreshToken", .secret(token.handle))) }
    }
    for (name, value) in state.sorted(by: { $0.key < $1.key }) {
      record.fields.append(.init("plugin.\(name)", .text(value)))
    }
    if let employeeId { record.fields.append(.init("employeeId", .text(employeeId))) }
    return record
  }
}
