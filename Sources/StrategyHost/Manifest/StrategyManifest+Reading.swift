internal import Basics
internal import HTTPClient
internal import YAML

extension StrategyManifest {
  /// The newest ABI version that can be hosted.
  public static let newestABI = 1

  /// Reads a manifest. Throws ``FailureCode/pluginRefused`` with the place and the next step.
  init(parsing bytes: [UInt8], of name: StrategyName) throws(Failure) {
    do throws(Failure) {
      let limits = YAMLLimits(bytes: StrategyLimits.manifest, depth: 8, nodes: 2_000)
      try self.init(try YAMLDocument.parse(bytes, file: name.manifest, limits: limits), expected: name)
    } catch {
      throw Failure(.pluginRefused, error.message, hint: error.hint)
    }
  }

  private init(_ root: YAMLNode, expected: StrategyName) throws(Failure) {
    let fields = try root.fields(
      of: "a manifest",
      ["manifest", "name", "version", "abi", "summary", "operations", "interaction", "settings", "needs"])
    let form = try fields.required("manifest")
    guard try form.integer() == 1 else {
      throw form.failure("this form of manifest is not known", hint: "this version of mfsctl reads 'manifest: 1'")
    }
    let name = try fields.required("name")
    guard try name.text() == expected.text else {
      throw name.failure("the name is not that of the file, '\(expected)'", hint: "name both the same")
    }
    self.name = expected
    version = try fields.required("version").line(limit: 64)
    let abi = try fields.required("abi")
    self.abi = Int(try abi.integer(in: 1...1_000_000))
    guard self.abi <= StrategyManifest.newestABI else {
      throw abi.failure(
        "it is built for ABI \(self.abi), newer than ABI \(StrategyManifest.newestABI) of this mfsctl",
        hint: "update mfsctl, or build the plugin for ABI \(StrategyManifest.newestABI)")
    }
    summary = try fields.required("summary").line(limit: 200)
    operations = try StrategyManifest.operations(try fields.required("operations"))
    let interaction = try fields.required("interaction")
    self.interaction =
      Interaction(
        rawValue: try interaction.word(of: Interaction.allCases.map(\.rawValue))) ?? .never
    settings = try StrategyManifest.settings(try fields.required("settings"))
    let needs = try fields.optional("needs")?.fields(of: "'needs'", ["http", "oidc", "vault", "prompt", "browser"])
    provider = try StrategyManifest.provider(needs?.optional("oidc"), settings: settings)
    origins = try StrategyManifest.origins(needs?.optional("http"), settings: settings, provider: provider)
    vault = try StrategyManifest.vaultUses(needs?.optional("vault"), strategy: expected)
    let prompt = needs?.optional("prompt")
    self.prompt = try prompt?.fields(of: "'prompt'", ["purpose"]).required("purpose").line(limit: 200)
    let browser = needs?.optional("browser")
    self.browser = try browser?.fields(of: "'browser'", ["purpose"]).required("purpose").line(limit: 200)
    if let node = prompt ?? browser, self.interaction == .never {
      throw node.failure("it asks a person, but 'interaction' is never", hint: "write 'interaction: login'")
    }
  }

  private static func provider(_ node: YAMLNode?, settings: [Setting]) throws(Failure) -> Provider? {
    guard let fields = try node?.fields(of: "'oidc'", ["issuer", "purpose"]) else { return nil }
    let issuer = try fields.required("issuer")
    guard case .setting(let name) = try place(issuer, settings: settings, hasProvider: false) else {
      throw issuer.failure("this is not a setting", hint: "write 'setting:NAME'")
    }
    return Provider(setting: name, purpose: try fields.required("purpose").line(limit: 200))
  }

  private static func operations(_ node: YAMLNode) throws(Failure) -> [StrategyOperation] {
    let words = StrategyOperation.allCases.map(\.word)
    var result: [StrategyOperation] = []
    for item in try node.items() {
      let word = try item.word(of: words)
      guard let operation = StrategyOperation.allCases.first(where: { $0.word == word }) else { continue }
      guard !result.contains(operation) else { throw item.failure("'\(word)' stands twice", hint: "remove one") }
      result.append(operation)
    }
    guard result.contains(.login) else {
      throw node.failure("a strategy that cannot log in is none", hint: "add login to the operations")
    }
    return result
  }

  private static func settings(_ node: YAMLNode) throws(Failure) -> [Setting] {
    var result: [Setting] = []
    for item in try node.items() {
      let fields = try item.fields(of: "a setting", ["name", "required"] + described)
      let name = try fields.required("name")
      let text = try name.string()
      guard isSettingName(text) else {
        throw name.failure("this is not the name of a setting", hint: "use A-Z a-z 0-9 and _, not a digit first")
      }
      guard !result.contains(where: { $0.name == text }) else {
        throw name.failure("the setting '\(text)' stands twice", hint: "remove one")
      }
      result.append(Setting(name: text, isRequired: try fields.optional("required")?.bool() ?? false))
    }
    return result
  }

  // A setting may be described for the app's catalog, which includes the manifest and checks these. To the host they say nothing.
  private static let described = [
    "group", "type", "required-when", "default", "modes", "secret", "summary", "details", "example", "deprecated",
    "discouraged", "unit", "min", "max", "values", "pattern", "contains", "schemes", "components",
  ]

  private static func isSettingName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 128, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
      default: false
      }
    }
  }

  private static func origins(_ node: YAMLNode?, settings: [Setting], provider: Provider?) throws(Failure) -> [Origin] {
    var result: [Origin] = []
    for item in try node?.items() ?? [] {
      let fields = try item.fields(of: "an http need", ["origin", "methods", "purpose"])
      let methods = try fields.required("methods")
      let known = HTTPRequest.Method.allCases.filter { $0 != .head }
      var chosen: Set<HTTPRequest.Method> = []
      for method in try methods.items() {
        let word = try method.word(of: known.map(\.rawValue))
        if let match = known.first(where: { $0.rawValue == word }) { chosen.insert(match) }
      }
      guard !chosen.isEmpty else { throw methods.failure("there are no methods", hint: "write e.g. [POST]") }
      result.append(
        Origin(
          place: try place(try fields.required("origin"), settings: settings, hasProvider: provider != nil),
          methods: chosen,
          purpose: try fields.required("purpose").line(limit: 200)))
    }
    return result
  }

  private static func place(
    _ node: YAMLNode, settings: [Setting], hasProvider: Bool
  ) throws(Failure) -> Origin.Place {
    let text = try node.string()
    if hasProvider, text == "provider" { return .provider }
    if text.hasPrefix("setting:") {
      let name = String(text.dropFirst("setting:".count))
      guard settings.contains(where: { $0.name == name }) else {
        throw node.failure("this is not a setting of the list above", hint: "add it to 'settings'")
      }
      return .setting(name)
    }
    guard text.hasPrefix("https://"), let url = HTTPURL(text), url.target == "/", !text.hasSuffix("/") else {
      throw node.failure(
        "this is not an origin", hint: "write 'setting:NAME', or 'https://HOST' or 'https://HOST:PORT' without a path")
    }
    return .fixed(url.origin)
  }

  private static func vaultUses(_ node: YAMLNode?, strategy: StrategyName) throws(Failure) -> [VaultUse] {
    var result: [VaultUse] = []
    for item in try node?.items() ?? [] {
      let fields = try item.fields(of: "a vault need", ["name", "access", "purpose"])
      let node = try fields.required("name")
      let name = try node.string()
      guard mayHave(name, strategy) else {
        throw node.failure(
          "a plugin may not have this value",
          hint: "use one of \(shared.sorted().joined(separator: ", ")), or auth.plugin.\(strategy).NAME")
      }
      guard !result.contains(where: { $0.name == name }) else {
        throw node.failure("the value '\(name)' stands twice", hint: "remove one")
      }
      result.append(
        VaultUse(
          name: name, access: try access(try fields.required("access")),
          purpose: try fields.required("purpose").line(limit: 200)))
    }
    return result
  }

  // One word, or a list of them.
  private static func access(_ node: YAMLNode) throws(Failure) -> Set<VaultUse.Access> {
    let words = VaultUse.Access.allCases.map(\.rawValue)
    var result: Set<VaultUse.Access> = []
    for item in (try? node.items()) ?? [node] {
      let word = try item.word(of: words)
      guard let access = VaultUse.Access(rawValue: word), result.insert(access).inserted else {
        throw item.failure("'\(word)' stands twice", hint: "remove one")
      }
    }
    guard !result.isEmpty else { throw node.failure("there is no access", hint: "write e.g. 'access: use'") }
    return result
  }

  // The other auth.* names are the session's own book-keeping.
  private static let shared: Set<String> = [
    "auth.identifier", "auth.password", "auth.sessionId", "auth.sessionExpiresAt", "auth.cookieName", "auth.idToken",
    "auth.idTokenExpiresAt", "auth.refreshToken", "auth.employeeId",
  ]

  // Random, and made to be told to a provider.
  static let deviceId = "mfs.deviceId"

  private static func mayHave(_ name: String, _ strategy: StrategyName) -> Bool {
    let own = "auth.plugin.\(strategy)."
    guard name.hasPrefix(own) else { return shared.contains(name) || name == deviceId }
    let rest = name.dropFirst(own.count).utf8
    return (1...64).contains(rest.count)
      && rest.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }
}

extension YAMLNode {
  /// A text for people: one line, cleaned.
  fileprivate func line(limit: Int) throws(Failure) -> String {
    let text = try nonEmptyString()
    guard text.unicodeScalars.count <= limit else {
      throw failure("this text is longer than \(limit) characters", hint: "shorten it")
    }
    return OutsideText.clean(text, limit: limit)
  }
}
