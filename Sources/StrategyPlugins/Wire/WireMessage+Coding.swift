public import Basics

// A frame is a 32-bit length, then that many bytes: a kind byte and the kind's fixed fields and record.
extension WireMessage {
  /// The whole frame, length included. Throws ``FailureCode/pluginFailed`` when the message is beyond a ``WireLimit``.
  public func frame() throws(Failure) -> [UInt8] {
    var body = ByteWriter()
    body.put(kind.rawValue)
    switch self {
    case .hello(let hello):
      body.put(hello.version)
      body.put(hello.abi)
      body.put(hello.landlock)
    case .run(let run):
      var record: WireRecord = ["strategy": .text(run.strategy), "settings": .list(run.settings)]
      if let identifier = run.identifier { record.fields.append(.init("identifier", .text(identifier))) }
      record.fields += run.trial.fields
      body.put(run.operation)
      body.put(run.timeout)
      try record.encode(into: &body)
    case .request(let id, let call, let record):
      body.put(id)
      body.put(call.rawValue)
      try record.encode(into: &body)
    case .response(let id, let status, let record):
      body.put(id)
      body.put(status.rawValue)
      try record.encode(into: &body)
    case .log(let level, let text):
      body.put(level.rawValue)
      body.put(block: text.utf8)
    case .result(let record): try record.encode(into: &body)
    case .failure(let fault):
      var record: WireRecord = ["message": .text(fault.message)]
      if let status = fault.status { record.fields.append(.init("status", .integer(status))) }
      if let seconds = fault.retryAfter { record.fields.append(.init("retryAfter", .integer(seconds))) }
      body.put(fault.reason)
      try record.encode(into: &body)
    case .refused(let text), .broken(let text): body.put(block: text.utf8)
    case .cancel: break
    }
    guard body.bytes.count <= WireLimit.frame else { throw .wire("it is larger than \(WireLimit.frame) bytes") }
    var frame = ByteWriter()
    frame.put(block: body.bytes)
    return frame.bytes
  }

  /// Reads the body of a frame (what follows the length). Throws ``FailureCode/pluginFailed``.
  public init(body: ArraySlice<UInt8>) throws(Failure) {
    guard body.count <= WireLimit.frame else { throw .wire("it is larger than \(WireLimit.frame) bytes") }
    var reader = WireReader(body)
    guard let kind = Kind(rawValue: try reader.number(UInt8.self)) else { throw .wire("it is of an unknown kind") }
    switch kind {
    case .hello:
      self = .hello(
        Hello(
          version: try reader.number(UInt16.self), abi: try reader.number(UInt32.self),
          landlock: try reader.number(UInt32.self)))
    case .run:
      let operation = try reader.number(UInt32.self), timeout = try reader.number(UInt32.self)
      let record = try WireRecord(from: &reader)
      guard let strategy = record.text("strategy"), let settings = record.list("settings") else {
        throw .wire("the call is incomplete")
      }
      self = .run(
        Run(
          strategy: strategy, operation: operation, timeout: timeout, identifier: record.text("identifier"),
          settings: settings, trial: WireTrial(record.list("trial"))))
    case .request:
      let id = try reader.number(UInt32.self)
      guard let call = HostCall(rawValue: try reader.number(UInt16.self)) else {
        throw .wire("it asks for nothing known")
      }
      self = .request(id: id, call, try WireRecord(from: &reader))
    case .response:
      let id = try reader.number(UInt32.self)
      guard let status = HostStatus(rawValue: try reader.number(UInt32.self)) else {
        throw .wire("its status is unknown")
      }
      self = .response(id: id, status, try WireRecord(from: &reader))
    case .log:
      guard let level = WireLogLevel(rawValue: try reader.number(UInt8.self)) else {
        throw .wire("its level is unknown")
      }
      self = .log(level, try reader.text(try reader.block()))
    case .result: self = .result(try WireRecord(from: &reader))
    case .failure:
      let reason = try reader.number(UInt32.self)
      let record = try WireRecord(from: &reader)
      self = .failure(
        StrategyFault(
          reason: reason, message: record.text("message") ?? "", status: record.integer("status"),
          retryAfter: record.integer("retryAfter")))
    case .refused: self = .refused(try reader.text(try reader.block()))
    case .broken: self = .broken(try reader.text(try reader.block()))
    case .cancel: self = .cancel
    }
    try reader.end()
  }

  private enum Kind: UInt8 {
    case hello = 1, run, request, response, log, result, failure, refused, broken, cancel
  }

  private var kind: Kind {
    switch self {
    case .hello: .hello
    case .run: .run
    case .request: .request
    case .response: .response
    case .log: .log
    case .result: .result
    case .failure: .failure
    case .refused: .refused
    case .broken: .broken
    case .cancel: .cancel
    }
  }
}
