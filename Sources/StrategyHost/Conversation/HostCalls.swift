internal import Basics
internal import HTTPClient
internal import SecureMemory
internal import StrategyWire

/// Why a host call is not answered as it asks.
enum CallEnd: Error {
  /// The plugin is told so and goes on.
  case status(HostStatus, String)
  /// The run ends.
  case fatal(Failure)
}

/// Serves the host calls of one run: what the manifest does not declare is denied, whatever else is allowed.
final class HostCalls {
  var grants: RunGrants
  let services: any StrategyServices
  let secrets: SecretStore
  let log: PluginLog
  let client: HTTPClient
  let providers: ProviderDirectory
  let watch: InterruptionWatch
  /// Descriptors that end an HTTP request when they can be read.
  var cancellation: [Int32] = []
  /// When the run must be over. Waiting for a person does not count.
  var deadline: MonotonicInstant
  private var calls = 0
  var requests = 0
  var prompts = 0
  /// Milliseconds that were waited for a person.
  var waited: Int64 = 0

  init(
    grants: RunGrants, services: any StrategyServices, secrets: SecretStore, log: PluginLog, client: HTTPClient,
    providers: ProviderDirectory, watch: InterruptionWatch, deadline: MonotonicInstant
  ) {
    self.grants = grants
    self.services = services
    self.secrets = secrets
    self.log = log
    self.client = client
    self.providers = providers
    self.watch = watch
    self.deadline = deadline
  }

  /// Answers a call. Throws what ends the run.
  func answer(_ call: HostCall, _ request: PluginRecord) throws(Failure) -> Reply {
    calls += 1
    guard calls <= StrategyLimits.calls else {
      throw Failure(.pluginFailed, "it made more than \(StrategyLimits.calls) host calls")
    }
    do throws(CallEnd) {
      switch call {
      case .http: return try http(request)
      case .vaultUse: return try vault(request, reading: false)
      case .vaultRead: return try vault(request, reading: true)
      case .prompt: return try prompt(request)
      case .clock:
        return .ok(("wall", .instant(services.now())), ("monotonic", .integer(MonotonicInstant.now().nanoseconds)))
      case .random: return try random(request)
      case .secretNew: return try newSecret(request)
      case .secretJoin: return try joinSecrets(request)
      case .secretBasic: return try basic(request)
      case .secretForm: return try form(request)
      case .vaultStore: return try store(request)
      case .promptShow: return try show(request)
      case .wait: return try wait(request)
      case .browserAuthorize: return try authorize(request)
      case .browserOpen: return try open(request)
      case .oidcDiscover: return try discover()
      case .oidcVerify: return try verifyIDToken(request)
      }
    } catch {
      switch error {
      case .status(let status, let message):
        if status == .denied { log.note("denied: \(message)") }
        return .no(status, message)
      case .fatal(let failure): throw failure
      }
    }
  }

  /// Runs what can only fail for want of memory or for good.
  func fatally<R: ~Copyable>(_ body: () throws(Failure) -> R) throws(CallEnd) -> R {
    do throws(Failure) { return try body() } catch { throw .fatal(error) }
  }

  private func random(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let count = request.integer("count"), (1...4_096).contains(count) else {
      throw .status(.badArgument, "`count` must be 1 to 4096")
    }
    return .ok(("bytes", .bytes(try fatally { () throws(Failure) in SecureBox(try .random(count: Int(count))) })))
  }
}
