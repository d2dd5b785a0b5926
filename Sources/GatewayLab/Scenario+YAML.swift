public import Basics
internal import WebSocket
public import YAML

extension Scenario {
  /// Reads a scenario file of at most a mebibyte. Throws ``FailureCode/configuration`` with the place and a next step,
  /// and what ``YAMLDocument/read(_:limits:)`` throws.
  public static func read(_ path: String) throws(Failure) -> Scenario { try Scenario(try YAMLDocument.read(path)) }

  /// Reads a scenario from a parsed file. Unknown fields are errors.
  public init(_ root: YAMLNode) throws(Failure) {
    let fields = try root.fields(
      of: "a scenario", ["version", "database", "faults", "idp", "script"] + GatewayOptions.fields)
    _ = try fields.required("version").integer(in: 1...1)
    if let node = fields.optional("database") { options.database = try GatewayOptions.databaseName(node) }
    try options.read(fields)
    for node in try fields.optional("faults")?.items() ?? [] { faults.append(try Fault(node)) }
    if let node = fields.optional("idp") { try provider.read(node) }
    if let node = fields.optional("script") { script = try Script(node, on: self) }
  }

  /// A text that can stand in a header field.
  static func fieldText(_ node: YAMLNode) throws(Failure) -> String {
    let text = try node.nonEmptyString()
    guard text.utf8.count <= 2_000, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw node.failure("this cannot stand in a header field", hint: "use printable ASCII, at most 2000 characters")
    }
    return text
  }
}

extension Fault {
  init(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(
      of: "a fault", ["fault", "on", "after", "times", "delay-ms", "size", "location", "code"])
    self.init(try fields.required("fault").oneOf())
    for node in try fields.optional("on")?.items() ?? [] { operations.insert(try node.oneOf()) }
    if let node = fields.optional("after") { after = Int(try node.integer(in: 0...1_000_000)) }
    if let node = fields.optional("times") { times = Int(try node.integer(in: 1...1_000_000)) }
    if let node = fields.optional("delay-ms") { delayMilliseconds = Int(try node.integer(in: 0...3_600_000)) }
    if let node = fields.optional("size") { size = try node.integer(in: 0...(1 << 40)) }
    if let node = fields.optional("location") { location = try Scenario.fieldText(node) }
    if let node = fields.optional("code") { closeCode = try Fault.closeCode(node) }
  }

  /// A code that a closing frame can have.
  static func closeCode(_ node: YAMLNode) throws(Failure) -> CloseCode {
    let code = CloseCode(rawValue: UInt16(clamping: try node.integer(in: 1_000...4_999)))
    guard code.isSendable else {
      throw node.failure("this code cannot be sent", hint: "use 1000 to 1003, 1007 to 1014 or 3000 to 4999")
    }
    return code
  }
}

extension YAMLNode {
  /// One of an enumeration's words; capital letters do not count.
  func oneOf<T: RawRepresentable<String> & CaseIterable>() throws(Failure) -> T {
    let word = try word(of: T.allCases.map { $0.rawValue.lowercased() })
    guard let value = T.allCases.first(where: { $0.rawValue.lowercased() == word }) else {
      throw Failure(.bug, "the word '\(word)' was accepted and has no meaning")
    }
    return value
  }
}
