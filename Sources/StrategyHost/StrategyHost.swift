public import Basics
internal import HTTPClient

/// How much of the sandbox must be there. Only the command line can ask for less than all of it.
public enum Isolation: String, Sendable, CaseIterable {
  /// All of it, or the plugin is not run.
  case require
  /// The system call filter always; Landlock when the kernel has it.
  case prefer
}

/// Runs strategies as plugins: finds and verifies the files, starts `mfs-strategy-host` with a sealed copy of the library,
/// serves its host calls and ends it in time.
public final class StrategyHost: StrategyRunning {
  let locations: StrategyLocations
  private let isolation: Isolation
  private let interruption: Interruption
  private let authorities: String?
  private let providers = ProviderDirectory()
  /// Writes down the host calls of sign-ins; nil when nothing is recorded.
  public var recorder: StrategyRecorder?
  /// A process that waits for its plugin, or why there is none.
  private var prepared: Result<PluginProcess, Failure>?

  /// A host of plugins. `authorities` is a PEM file of the only authorities that servers are trusted by; nil for the
  /// system's.
  public init(
    locations: StrategyLocations, isolation: Isolation = .require, interruption: Interruption = .signals,
    authorities: String? = nil
  ) {
    self.locations = locations
    self.isolation = isolation
    self.interruption = interruption
    self.authorities = authorities
  }

  /// Starts the process of the next run, which takes about as long as reading and verifying a plugin.
  public func prepare() { prepared = prepared ?? startProcess() }

  /// See ``StrategyRunning/serverSettings(of:)``. The toolkit's own strategies name none beside those that every binding has.
  public func serverSettings(of strategy: String) -> [String] {
    guard let name = StrategyName(strategy), !name.isReserved,
      let manifest = try? StrategyCatalogue(locations).entry(strategy).manifest
    else { return [] }
    let places = manifest.origins.compactMap { if case .setting(let name) = $0.place { name } else { nil } }
    return Set(places + (manifest.provider.map { [$0.setting] } ?? [])).sorted()
  }

  /// Runs a strategy once. An operation that its manifest does not list is answered without it: a refresh needs a person
  /// then, and a logout tells nobody.
  public func run(_ call: StrategyCall, services: any StrategyServices) throws(Failure) -> StrategyOutcome {
    try run(call, services: services, replay: nil)
  }

  /// The same, with every host call answered by a replay where one is given.
  func run(
    _ call: StrategyCall, services: any StrategyServices, replay: StrategyReplay?
  ) throws(Failure) -> StrategyOutcome {
    // Started before the plugin is read: whoever has a second core waits for the slower of the two only.
    let started = prepared ?? startProcess()
    prepared = nil
    // A system without descriptors or memory to give: looking at the plugin would find that a fault of the plugin's.
    if case .failure(let error) = started, error.code != .pluginRefused { throw error }
    let inspection = try StrategyCatalogue(locations).inspect(call.strategy, into: (try? started.get())?.memory)
    if let refusal = inspection.entry.refusal { throw refusal }
    guard let manifest = inspection.manifest, inspection.library != nil else {
      throw .notInstalled(call.strategy)
    }
    guard manifest.operations.contains(call.operation) else {
      return .failure(
        call.operation == .logout
          ? StrategyFailure(.refused, "the strategy '\(inspection.name)' has no logout")
          : StrategyFailure(.interactionNeeded, "it only signs in with a person"))
    }
    let grants: RunGrants
    do throws(StrategyFailure) { grants = try RunGrants(manifest, call) } catch { return .failure(error) }
    let watch = try InterruptionWatch(interruption)
    let secrets = try SecretStore()
    let log = PluginLog(inspection.name, secrets: secrets) { services.log($0) }
    var client = HTTPClient()
    client.authorities = authorities
    let calls = HostCalls(
      grants: grants, services: services, secrets: secrets, log: log, client: client, providers: providers,
      watch: watch,
      deadline: MonotonicInstant.now().advanced(bySeconds: Double(max(1, min(call.timeout, 86_400)))))
    let conversation = Conversation(
      inspection.name, call, isolation: isolation, process: try started.get(), calls: calls, watch: watch, log: log)
    conversation.replay = replay
    guard let recorder, replay == nil, call.operation == .login else { return try conversation.run() }
    conversation.recorder = recorder
    recorder.begin(inspection, call, settings: grants.settings.map(\.name), secrets: secrets, at: services.now())
    do throws(Failure) {
      let outcome = try conversation.run()
      recorder.end(.success(outcome))
      return outcome
    } catch {
      recorder.end(.failure(error))
      throw error
    }
  }

  private func startProcess() -> Result<PluginProcess, Failure> {
    Result { () throws(Failure) in try PluginProcess(runner: locations.runner, memory: try PluginMemory()) }
  }
}
