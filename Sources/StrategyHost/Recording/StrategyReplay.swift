public import Basics
internal import SecureMemory
internal import StrategyWire

/// Runs a plugin again against a recording: every host call is answered from the file, and where the plugin does something
/// else than in the recording it is noted. There is no network, no person and no vault.
public final class StrategyReplay {
  /// What came of it.
  public struct Report: Sendable {
    /// How many calls the plugin made, and how many are in the recording.
    public let calls: Int
    /// How many calls are in the recording.
    public let recorded: Int
    /// How the plugin ended.
    public let outcome: String
    /// Where it departed from the recording, as sentences; empty when it followed it to its end. Safe to print.
    public let departures: [String]
    /// Whether the plugin is another than the one that was recorded.
    public let isAnotherPlugin: Bool
  }

  /// The strategy that was recorded.
  public var strategy: String { recording.strategy }

  private let recording: Recording
  private var position = 0
  private var made = 0
  private var departures: [String] = []
  private var hasLeft = false
  /// Whether the plugin made the call within which the recording ends.
  private var hasReachedEnd = false
  private var handles: [Int64: UInt64] = [:]
  private var mask: RecordingMask?
  /// Who signs in, when that was known beforehand.
  private var identifier: String?

  /// Reads a recording. Throws ``FailureCode/notFound``, ``FailureCode/configuration`` when it is none.
  public init(file path: String) throws(Failure) { recording = try Recording(file: path) }

  /// Runs the plugin. `identifier` stands for the one that was known beforehand, when one was. Throws what running a plugin
  /// throws, but for what the plugin itself does, and ``FailureCode/configuration`` when an answer of the recording is none.
  public func run(
    on host: StrategyHost, settings: [String: String], identifier: String?, onLog: @escaping (String) -> Void
  ) throws(Failure) -> Report {
    self.identifier = recording.hadIdentifier ? identifier ?? "MASKED-0" : nil
    let call = StrategyCall(
      strategy: recording.strategy, operation: .login, settings: settings, identifier: self.identifier)
    let services = ReplayServices(onLog: onLog)
    var end: RecordedEnd
    do throws(Failure) {
      end = RecordedEnd(.success(try host.run(call, services: services, replay: self)))
    } catch {
      // Its own doing, or that there is no answer for it. All else, such as an answer that is none, is no end of the plugin's.
      guard error.code == .pluginFailed || hasLeft || hasReachedEnd else { throw error }
      end = RecordedEnd(.failure(error))
    }
    if !hasLeft {
      if hasReachedEnd {
        // The recording ends within a call, and the plugin made it; how it ended, the plugin could not see.
        end = recording.end ?? end
      } else if position < recording.calls.count {
        departures.append("it ended after call \(made); the recording has \(recording.calls.count)")
      } else if let recorded = recording.end, recorded != end {
        departures.append("it \(end.text); in the recording it \(recorded.text)")
      }
    }
    let digest = try? StrategyCatalogue(host.locations).entry(recording.strategy).digest
    return Report(
      calls: made, recorded: recording.calls.count, outcome: end.text, departures: departures,
      isAnotherPlugin: recording.digest != nil && digest != recording.digest)
  }

  /// The answer to the plugin's next call. Throws what ends the run when there is none.
  func answer(_ call: HostCall, _ request: PluginRecord, _ secrets: SecretStore) throws(Failure) -> Reply {
    let mask = try prepared(secrets)
    made += 1
    let place = "call \(made) (\(call))"
    guard position < recording.calls.count else {
      throw left("it made \(place), and the recording has \(recording.calls.count) calls")
    }
    let expected = recording.calls[position]
    guard expected.call == call else { throw left("it made \(place), where the recording has \(expected.call)") }
    let masked = mask.request(call, request)
    for name in StrategyReplay.differences(masked, expected.request) {
      departures.append("\(place) has another '\(OutsideText.clean(name, limit: 64))' than in the recording")
    }
    if let ended = expected.ended {
      hasReachedEnd = true
      throw Failure(.cancelled, "the recording ends here: \(OutsideText.clean(ended, limit: 64))")
    }
    position += 1
    return try reply(expected, request, secrets)
  }

  private func left(_ text: String) -> Failure {
    hasLeft = true
    departures.append(text)
    return Failure(.cancelled, "the plugin departed from the recording")
  }

  private func prepared(_ secrets: SecretStore) throws(Failure) -> RecordingMask {
    if let mask { return mask }
    // What was masked in the recording is masked in this run as well, so that the same is compared.
    for call in recording.calls {
      for text in StrategyReplay.placeholders(call.answer.text) {
        secrets.hide(SecureBox(try SecureBytes(publicText: text)))
      }
    }
    let made = try RecordingMask(secrets, identifier: identifier)
    mask = made
    return made
  }

  private static func placeholders(_ text: String) -> Set<String> {
    var found: Set<String> = []
    for part in text.split(separator: "MASKED-").dropFirst(text.hasPrefix("MASKED-") ? 0 : 1) {
      found.insert("MASKED-" + part.prefix { $0.isASCII && $0.isNumber })
    }
    return found
  }

  private static func differences(_ a: JSONValue, _ b: JSONValue) -> [String] {
    let names = ((a.members ?? []) + (b.members ?? [])).map(\.name)
    var found: [String] = []
    for name in names where a[name] != b[name] && !found.contains(name) { found.append(name) }
    return found
  }

  private func reply(_ call: Recording.Call, _ request: PluginRecord, _ secrets: SecretStore) throws(Failure) -> Reply {
    var fields: [(name: String, value: Reply.Value)] = []
    let members = call.answer.members ?? []
    guard members.count <= WireLimit.fields else { throw StrategyReplay.malformed }
    for member in members {
      fields.append((try StrategyReplay.name(member.name), try value(member.value, secrets, depth: 1)))
    }
    if call.call == .random, call.status == .ok {
      // Masked in the recording, since a plugin may make a secret of it.
      let count = Int(clamping: min(max(request.integer("count") ?? 1, 1), 4_096))
      let bytes = try SecureBytes(count: count)
      unsafe bytes.withMutableBytes { target in
        for index in target.indices { unsafe target[index] = UInt8(truncatingIfNeeded: index &* 37 &+ 11) }
      }
      fields = [("bytes", .bytes(SecureBox(bytes)))]
    }
    return Reply(status: call.status, fields: fields)
  }

  /// The name of a field, as the plugin can read it.
  private static func name(_ text: String) throws(Failure) -> String {
    guard (1...WireLimit.name).contains(text.utf8.count) else { throw malformed }
    return text
  }

  /// A value that stands in a record `depth` deep.
  private func value(_ recorded: JSONValue, _ secrets: SecretStore, depth: Int) throws(Failure) -> Reply.Value {
    guard let member = recorded.members?.first else { throw StrategyReplay.malformed }
    switch (member.name, member.value) {
    case ("text", .string(let text)): return .text(text)
    case ("bytes", .string(let text)): return .bytes(SecureBox(try SecureBytes(publicText: text)))
    case ("integer", .integer(let number)): return .integer(number)
    case ("boolean", .bool(let flag)): return .boolean(flag)
    case ("instant", .string(let text)):
      guard let time = Timestamp(rfc3339: text) else { throw StrategyReplay.malformed }
      return .instant(time)
    case ("secret", .integer(let number)):
      if let known = handles[number] { return .secret(known) }
      let secret = SecureBox(try SecureBytes(publicText: "MASKED-secret-\(number)"))
      let handle: UInt64
      do throws(Failure) { handle = try secrets.add(secret) } catch {
        // More than any run has.
        throw error.code == .pluginFailed ? StrategyReplay.malformed : error
      }
      handles[number] = handle
      return .secret(handle)
    case ("list", .array(let items)):
      guard depth < WireLimit.depth, items.count <= WireLimit.fields else { throw StrategyReplay.malformed }
      var fields: [(name: String, value: Reply.Value)] = []
      for item in items {
        guard let pair = item.items, pair.count == 2, let name = pair[0].string else { throw StrategyReplay.malformed }
        fields.append((try StrategyReplay.name(name), try value(pair[1], secrets, depth: depth + 1)))
      }
      return .list(fields)
    default: throw StrategyReplay.malformed
    }
  }

  private static let malformed = Failure(
    .configuration, "the recording has an answer that cannot be understood",
    hint: "'mfsctl session login --record FILE' makes one that can")
}

/// Nothing of the world: a replay reaches none of it.
private final class ReplayServices: StrategyServices {
  private let onLog: (String) -> Void
  var browser: (any StrategyBrowser)? { nil }

  init(onLog: @escaping (String) -> Void) { self.onLog = onLog }

  private static let unreachable = Failure(.bug, "a replay reached for what is outside of its recording")

  func vaultValue(_ name: String) throws(Failure) -> SecureBytes? { throw ReplayServices.unreachable }
  func answer(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes { throw ReplayServices.unreachable }
  func store(_ values: [(name: String, value: StrategyValue)]) throws(Failure) -> Bool {
    throw ReplayServices.unreachable
  }
  func show(_ text: String) throws(Failure) { throw ReplayServices.unreachable }
  func now() -> Timestamp { Timestamp(seconds: 0) }
  func log(_ line: String) { onLog(line) }
}
