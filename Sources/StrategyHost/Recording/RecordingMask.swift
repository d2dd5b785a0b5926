internal import Basics
internal import HTTPClient
internal import SecureMemory
internal import StrategyWire

/// Turns host calls and their answers into JSON without a secret. What is masked in an answer stands as `MASKED-N`, which
/// a replay gives to the plugin in its place; in a request it is `********`.
final class RecordingMask {
  static let mask = "********"
  private let secrets: SecretStore
  /// What a person gave. It is looked for in names as well, where any word of an answer would hide too much.
  private var given: SecretMask
  /// What of that is too short to be looked for within words.
  private var short = WholeWords()
  private var count = 0

  /// A mask for the run that has these secrets; `identifier` is who signs in, where that is known beforehand: a server may
  /// repeat it like one that is typed. Throws ``FailureCode/outOfMemory``.
  init(_ secrets: SecretStore, identifier: String?) throws(Failure) {
    self.secrets = secrets
    given = try SecretMask()
    if let identifier {
      let bytes = SecureBox(try SecureBytes(publicText: identifier))
      secrets.hide(bytes)
      give(bytes)
    }
  }

  private func give(_ secret: SecureBox) {
    given.add(secret)
    short.add(secret)
  }

  private func placeholder() -> String {
    count += 1
    return "MASKED-\(count)"
  }

  private func scrub(_ text: String) -> String { OutsideText.clean(withoutSecrets(text), limit: 2_000) }

  private func withoutSecrets(_ text: String) -> String { short.masked(secrets.scrub(text)) }

  /// The name of something in an answer.
  private func named(_ name: String) -> String {
    short.masked(given.masked(OutsideText.clean(name, limit: 64)))
  }

  // ---- Requests

  /// A request's fields.
  func request(_ call: HostCall, _ record: PluginRecord) -> JSONValue {
    .object(
      record.fields.map { name, value in
        .init(scrub(OutsideText.clean(name, limit: 64)), requested(call, name, value))
      })
  }

  private func requested(_ call: HostCall, _ name: String, _ value: PluginValue) -> JSONValue {
    switch value {
    case .text(let text):
      let isKept =
        switch (call, name) {
        case (.http, "method"), (.vaultUse, "name"), (.vaultRead, "name"), (.prompt, "text"),
          (.browserAuthorize, "response"), (.browserAuthorize, "redirect"), (.browserAuthorize, "browser"),
          (.oidcVerify, "clientID"), (.oidcVerify, "source"):
          true
        default: false
        }
      if isKept { return ["text": .string(scrub(text))] }
      return ["text": .string(name == "url" ? place(text) : RecordingMask.mask)]
    case .list(let list): return ["list": .array(list.fields.map { item(call, $0.name, $0.value) })]
    default: return other(value)
    }
  }

  // An item of a list: a header, a parameter, a form's field, a part.
  private func item(_ call: HostCall, _ name: String, _ value: PluginValue) -> JSONValue {
    let shown: JSONValue =
      switch value {
      case .text(let text):
        switch RecordingRules.treatment(of: name) {
        case _ where call == .secretJoin:
          ["text": .string(RecordingRules.isJoint(text) ? text : RecordingMask.mask)]
        case .keep: ["text": .string(scrub(text))]
        case .place: ["text": .string(place(text))]
        case .mask: ["text": .string(RecordingMask.mask)]
        }
      case .list: ["list": .string(RecordingMask.mask)]
      default: other(value)
      }
    return [.string(scrub(OutsideText.clean(name, limit: 64))), shown]
  }

  private func other(_ value: PluginValue) -> JSONValue {
    switch value {
    case .bytes: ["bytes": .string(RecordingMask.mask)]
    case .integer(let number): ["integer": .number(number)]
    case .boolean(let flag): ["boolean": .bool(flag)]
    case .instant: ["instant": .string(RecordingMask.mask)]
    case .secret(let handle): ["secret": .number(handle)]
    case .text, .list: .null
    }
  }

  private func place(_ text: String) -> String { RecordingRules.place(text).map(scrub) ?? RecordingMask.mask }

  // ---- Answers

  /// An answer's fields; `name` is the stored value's that was asked for. Throws ``FailureCode/outOfMemory``.
  func answer(_ call: HostCall, _ reply: Reply, of name: String?) throws(Failure) -> JSONValue {
    var members: [JSONValue.Member] = []
    if call == .prompt { reply.fields.forEach { note($0.value) } }
    for field in reply.fields {
      let isPlain =
        reply.status != .ok || call == .oidcDiscover
        || (call == .vaultRead && name?.hasSuffix("ExpiresAt") == true)
      members.append(.init(field.name, try answered(call, field.name, field.value, isPlain: isPlain)))
    }
    return .object(members)
  }

  // What a person typed.
  private func note(_ value: Reply.Value) {
    switch value {
    case .secretText(let text): give(text)
    case .secret(let handle): if let secret = secrets[handle] { give(secret) }
    default: break
    }
  }

  private func answered(
    _ call: HostCall, _ name: String, _ value: Reply.Value, isPlain: Bool
  ) throws(Failure) -> JSONValue {
    switch value {
    case .text(let text):
      // A message of this side's, or the provider's public metadata.
      if call == .oidcDiscover, name == "metadata" { return ["text": .string(text)] }
      if isPlain { return ["text": .string(scrub(text))] }
      if name == "redirectURI" { return ["text": .string(place(text))] }
      let bytes = SecureBox(try SecureBytes(publicText: text))
      return ["text": .string(call == .oidcVerify ? json(bytes) : masked(bytes))]
    case .secretText(let text): return ["text": .string(masked(text))]
    case .bytes(let bytes):
      return ["bytes": .string(isPlain ? bytes.bytes.publicText() ?? masked(bytes) : masked(bytes))]
    case .integer(let number): return ["integer": .number(number)]
    case .boolean(let flag): return ["boolean": .bool(flag)]
    case .instant(let time): return ["instant": .string(time.description)]
    case .secret(let handle): return ["secret": .number(handle)]
    case .list(let fields):
      var items: [JSONValue] = []
      for field in fields {
        items.append([.string(named(field.name)), try listed(field.name, field.value)])
      }
      return ["list": .array(items)]
    case .headers(let response): return ["list": .array(headers(response))]
    case .body(let response): return ["bytes": .string(json(SecureBox(try response.body.copy())))]
    }
  }

  // What a redirect brought.
  private func listed(_ name: String, _ value: Reply.Value) throws(Failure) -> JSONValue {
    switch value {
    case .secret(let handle): return ["secret": .number(handle)]
    case .text(let text):
      switch RecordingRules.treatment(of: name) {
      case .keep: return ["text": .string(scrub(text))]
      case .place: return ["text": .string(place(text))]
      case .mask: return ["text": .string(masked(SecureBox(try SecureBytes(publicText: text))))]
      }
    default: return .null
    }
  }

  private func masked(_ bytes: SecureBox) -> String {
    guard bytes.bytes.count > 0 else { return "" }
    secrets.hide(bytes)
    return placeholder()
  }

  /// A body: its structure when it is a JSON object, else nothing of it.
  private func json(_ bytes: SecureBox) -> String {
    let text = unsafe bytes.bytes.withBytes { content in
      unsafe MaskedJSON.masked(
        content, hide: { self.secrets.hide($0) }, placeholder: { self.placeholder() },
        scrub: { self.withoutSecrets($0) }, isPlain: { self.named($0) == $0 })
    }
    return text ?? masked(bytes)
  }

  private func hide(_ content: UnsafeRawBufferPointer) {
    if let copy = try? unsafe SecureBytes(copying: content) { secrets.hide(SecureBox(copy)) }
  }

  private func headers(_ response: HTTPResponse) -> [JSONValue] {
    response.names.indices.compactMap { index in
      let name = response.names[index].lowercased()
      let value = unsafe response.withValue(at: index) { content -> String? in
        // As in the answer itself: what is not plain ASCII is left out.
        guard unsafe content.allSatisfy({ $0 == 0x09 || (0x20..<0x7F).contains($0) }) else { return nil }
        return unsafe header(name, content)
      }
      return (value ?? nil).map { [.string(named(name)), ["text": .string($0)]] }
    }
  }

  private func header(_ name: String, _ content: UnsafeRawBufferPointer) -> String {
    if name == "set-cookie" { return unsafe cookie(content) }
    let treatment = RecordingRules.treatment(of: name)
    if treatment == .keep { return unsafe scrub(String(decoding: content, as: UTF8.self)) }
    if treatment == .place, let place = unsafe RecordingRules.place(String(decoding: content, as: UTF8.self)) {
      return scrub(place)
    }
    unsafe hide(content)
    return placeholder()
  }

  // The value goes, the name and the attributes that a client heeds stay.
  private func cookie(_ content: UnsafeRawBufferPointer) -> String {
    let end = unsafe content.firstIndex(of: 0x3B) ?? content.count
    let equals = unsafe content[..<end].firstIndex(of: 0x3D) ?? end
    unsafe hide(UnsafeRawBufferPointer(rebasing: content[min(equals + 1, end)..<end]))
    let name = unsafe String(decoding: content[..<min(equals, 32)], as: UTF8.self)
    let attributes = unsafe String(decoding: content[end...], as: UTF8.self).split(separator: ";").filter { part in
      let word = part.split(separator: "=").first.map { $0.trimming(" ").lowercased() } ?? ""
      return ["path", "expires", "max-age", "httponly", "secure", "samesite"].contains(word)
    }
    let isKept = equals <= 32 && RecordingRules.isWord(name) && named(name) == name
    return ([isKept ? "\(name)=\(placeholder())" : placeholder()] + attributes.map { attribute($0.trimming(" ")) })
      .joined(separator: "; ")
  }

  // A path is treated as that of a URL is: in another form than its own nothing is found in it.
  private func attribute(_ text: String) -> String {
    guard let equals = text.firstIndex(of: "="), text[..<equals].trimming(" ").lowercased() == "path" else {
      return scrub(text)
    }
    return scrub("\(text[...equals])\(RecordingRules.path(text[text.index(after: equals)...]))")
  }
}

extension StringProtocol {
  fileprivate func trimming(_ character: Character) -> String {
    String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
  }

  private func drop(_ predicate: (Character) -> Bool) -> SubSequence { self.drop(while: predicate) }
}
