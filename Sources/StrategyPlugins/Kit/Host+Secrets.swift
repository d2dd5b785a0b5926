public import Basics
internal import CStrategyABI
internal import StrategyWire

extension Host {
  /// Asks a person for text.
  public func ask(_ question: String) throws(StrategyError) -> String {
    let answer = try prompt(question, isSecret: false)
    guard let text = answer.text("text") else { throw Host.malformed }
    return text
  }

  /// Asks a person for a secret; nil when they give an empty one.
  public func askSecret(_ question: String) throws(StrategyError) -> Secret? {
    let answer = try prompt(question, isSecret: true)
    return answer.boolean("empty") == true ? nil : try Host.secret(in: answer)
  }

  /// A stored value that can be used, not seen; nil when nothing is stored under that name.
  public func stored(_ name: String) throws(StrategyError) -> Secret? {
    let vault = unsafe try extensionTable(MFS_EXTENSION_VAULT, mfs_vault_t.self)
    guard let answer = unsafe try call(vault.pointee.use, ["name": .text(name)]) else { return nil }
    return try Host.secret(in: answer)
  }

  /// The bytes of a stored value that the manifest asks to read; nil when nothing is stored under that name.
  public func storedBytes(_ name: String) throws(StrategyError) -> [UInt8]? {
    let vault = unsafe try extensionTable(MFS_EXTENSION_VAULT, mfs_vault_t.self)
    guard let answer = unsafe try call(vault.pointee.read, ["name": .text(name)]) else { return nil }
    guard let bytes = answer.bytes("value") else { throw Host.malformed }
    return bytes
  }

  /// Stores values under the names of the vault, in one commit that is durable when this returns: for a refresh, and what
  /// a server will accept only once more. False when the sign-in has ended meanwhile; then stop.
  public func store(
    _ values: [(name: String, value: Secret)], moments: [(name: String, value: Timestamp)] = []
  ) throws(StrategyError) -> Bool {
    let vault = unsafe try extensionTable(MFS_EXTENSION_VAULT, mfs_vault_t.self, isWhole: true)
    let secrets = values.map { WireRecord.Field($0.name, .secret($0.value.handle)) }
    let list = WireRecord(secrets + moments.map { .init($0.name, .instant($0.value)) })
    return unsafe try call(vault.pointee.store, ["values": .list(list)]) != nil
  }

  /// Fields as `application/x-www-form-urlencoded`, a secret when one of them is.
  public func form(_ fields: [(name: String, value: Part)]) throws(StrategyError) -> Secret {
    let table = unsafe try extensionTable(MFS_EXTENSION_SECRET, mfs_secret_extension_t.self, isWhole: true)
    let list = WireRecord(fields.map { .init($0.name, $0.value.wire) })
    return try unsafe Host.secret(in: call(table.pointee.form, ["fields": .list(list)]))
  }

  /// Gives the host bytes to keep as a secret.
  public func makeSecret(_ bytes: some Sequence<UInt8>) throws(StrategyError) -> Secret {
    let table = unsafe try extensionTable(MFS_EXTENSION_SECRET, mfs_secret_extension_t.self)
    return try unsafe Host.secret(in: call(table.pointee.make, ["bytes": .bytes(Array(bytes))]))
  }

  /// The parts, one after the other, as a secret.
  public func join(_ parts: Part...) throws(StrategyError) -> Secret {
    let table = unsafe try extensionTable(MFS_EXTENSION_SECRET, mfs_secret_extension_t.self)
    let list = WireRecord(parts.map { .init("part", $0.wire) })
    return try unsafe Host.secret(in: call(table.pointee.join, ["parts": .list(list)]))
  }

  /// The value of an Authorization header, `Basic` of RFC 7617. The identifier must not have a colon.
  public func basicAuthorization(identifier: Part, password: Secret) throws(StrategyError) -> Secret {
    let table = unsafe try extensionTable(MFS_EXTENSION_SECRET, mfs_secret_extension_t.self)
    let request: WireRecord = ["identifier": identifier.wire, "password": .secret(password.handle)]
    return try unsafe Host.secret(in: call(table.pointee.basic, request))
  }

  private func prompt(_ question: String, isSecret: Bool) throws(StrategyError) -> WireRecord {
    let table = unsafe try extensionTable(MFS_EXTENSION_PROMPT, mfs_prompt_t.self)
    let request: WireRecord = ["text": .text(question), "secret": .boolean(isSecret)]
    guard let answer = unsafe try call(table.pointee.ask, request) else { throw Host.malformed }
    return answer
  }

  private static func secret(in answer: WireRecord?) throws(StrategyError) -> Secret {
    guard let handle = answer?.secret("secret") else { throw malformed }
    return Secret(handle: handle)
  }

  static let malformed = StrategyError(.internal, "the host's answer is malformed")
}

extension Part {
  var wire: WireValue {
    switch self {
    case .text(let text): .text(text)
    case .secret(let secret): .secret(secret.handle)
    }
  }
}
