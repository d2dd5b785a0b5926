public import Basics
public import CommandLine
internal import SecureMemory
public import Vault

/// How an executable reaches the vaults that are not files.
public struct BackendOpener {
  /// What makes the place of a vault in the Secret Service.
  public typealias SecretService = (VaultRequest) throws(Failure) -> any VaultStore

  private enum Way {
    case here(SecretService)
    case elsewhere(Program.Handler)
  }

  private let way: Way

  /// For the executable that links the Secret Service.
  public static func linked(secretService: @escaping SecretService) -> BackendOpener {
    BackendOpener(way: .here(secretService))
  }

  /// For the executable that does not: a command on such a vault is handed over as a whole, before any of its input is
  /// read.
  public static func handingOver(to other: @escaping Program.Handler) -> BackendOpener {
    BackendOpener(way: .elsewhere(other))
  }

  /// What a command does once it knows which vault.
  public typealias Body = (VaultCall) throws(Failure) -> ExitCode
  /// Which backend a command is about.
  typealias KindOf = (Invocation, VaultRequest) throws(Failure) -> BackendKind

  /// A command on the vault of the profile, in a process that was hardened first.
  public func handler(_ body: @escaping Body) -> Program.Handler { handler(body, kind: BackendOpener.pinnedKind) }

  /// The same for a command that says itself which backend it is about.
  func handler(_ body: @escaping Body, kind: @escaping KindOf) -> Program.Handler {
    func run(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
      try ProcessHardening.apply()
      let request = try VaultOptions.request(invocation, .current())
      let store: any VaultStore
      switch (try kind(invocation, request), way) {
      case (.file, _): store = FileVaultStore(request)
      case (.secretService, .here(let make)): store = try make(request)
      case (.secretService, .elsewhere(let other)): return try other(invocation, console)
      }
      return try body(VaultCall(invocation: invocation, console: console, request: request, store: store))
    }
    return run
  }

  private static func pinnedKind(_ invocation: Invocation, _ request: VaultRequest) throws(Failure) -> BackendKind {
    try ProfileSettings.backend(request) ?? .file
  }
}

/// One run of a command that needs a vault.
public struct VaultCall {
  /// The command line.
  public let invocation: Invocation
  /// Where it prints.
  public let console: Console
  /// Which vault, and how it may be unlocked.
  public let request: VaultRequest
  /// The place of that vault.
  public let store: any VaultStore

  /// The generation that `--expect-generation` names.
  var expectedGeneration: UInt64? { invocation.integer("expect-generation").flatMap { UInt64(exactly: $0) } }

  /// Prints what was done. When that fails it stays done, so the failure is ``FailureCode/partial`` and not the one that
  /// says that nothing was changed.
  public func report(_ print: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) { try print() } catch {
      guard error.code != .closedPipe else { throw error }
      throw Failure(
        .partial, "what was asked for is done, but could not be reported: \(error.message)",
        hint: "'mfsctl vault list' shows what the vault holds now")
    }
  }

  /// The key that the first operand names; an uncatalogued one only with `--uncatalogued`.
  func key() throws(Failure) -> KeyName {
    guard let name = try keys().first else { throw Failure(.usage, "a key name is missing") }
    return name
  }

  /// The keys that the operands name.
  func keys() throws(Failure) -> [KeyName] {
    var keys: [KeyName] = []
    for operand in invocation.operands {
      let key = try KeyName(operand)
      if !invocation.flag("uncatalogued") { try KeyCatalogue.require(key) }
      keys.append(key)
    }
    return keys
  }
}
