public import Basics
internal import Glibc
internal import StrategyWire

/// Writes down the host calls of a sign-in with their answers, as JSON lines without a secret, so that the sign-in can be
/// replayed. The form is described in docs/PLUGINS.md.
public final class StrategyRecorder {
  /// The version of the form.
  static let version = 1

  private let path: String
  private let file: FileDescriptor
  private var mask: RecordingMask?
  private var calls = 0
  private let onFailure: (Failure) -> Void
  /// Whether the recording could not be gone on with. The sign-in goes on without it.
  private var hasFailed = false
  private var isUsed = false

  /// A recording in a new file of mode 0600. `onFailure` is told once why it is not complete, if it is not. Throws ``FailureCode/exists`` when something stands there,
  /// ``FailureCode/notFound`` when its folder is missing, ``FailureCode/usage`` for an empty path,
  /// ``FailureCode/inputOutput``.
  public init(file path: String, onFailure: @escaping (Failure) -> Void) throws(Failure) {
    self.onFailure = onFailure
    let shown = OutsideText.clean(path, limit: 300)
    if path.isEmpty { throw Failure(.usage, "'' is not the name of a file", hint: "give --record FILE") }
    if Files.exists(path) {
      throw Failure(.exists, "\(shown) is there already", hint: "a recording is a new file; give another name")
    }
    self.path = path
    file = try StrategyRecorder.make(path)
    guard fchmod(file.raw, 0o600) == 0 else { throw .system("set the permissions of \(shown)") }
  }

  private static func make(_ path: String) throws(Failure) -> FileDescriptor {
    do throws(Failure) {
      return try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    } catch { throw error.hinting(toMake: path, option: "--record FILE") }
  }

  // A sign-in that never reached the plugin leaves no empty file behind.
  deinit { if !isUsed { _ = unsafe unlink(path) } }

  /// Begins: which plugin, and what it was given.
  func begin(
    _ inspection: StrategyInspection, _ call: StrategyCall, settings: [String], secrets: SecretStore, at now: Timestamp
  ) {
    isUsed = true
    do throws(Failure) { mask = try RecordingMask(secrets, identifier: call.identifier) } catch { fail(error) }
    write([
      "recording": .number(StrategyRecorder.version), "strategy": .string(inspection.name.text),
      "version": .optional(inspection.manifest?.version), "digest": .optional(inspection.entry.digest),
      "operation": .string(call.operation.word), "settings": .strings(settings),
      "identifier": .bool(call.identifier != nil), "at": .string(now.description),
    ])
  }

  /// A call that was answered.
  func note(_ call: HostCall, _ request: PluginRecord, _ reply: Reply) {
    guard let mask else { return }
    calls += 1
    do throws(Failure) {
      let answer = try mask.answer(call, reply, of: request.text("name"))
      write([
        "call": .number(calls), "name": .string("\(call)"), "request": mask.request(call, request),
        "status": .string("\(reply.status)"), "answer": answer,
      ])
    } catch { fail(error) }
  }

  /// A call that ended the run.
  func note(_ call: HostCall, _ request: PluginRecord, endedBy failure: Failure) {
    guard let mask else { return }
    calls += 1
    write([
      "call": .number(calls), "name": .string("\(call)"), "request": mask.request(call, request),
      "ended": .string(failure.code.name),
    ])
  }

  /// The end.
  func end(_ outcome: Result<StrategyOutcome, Failure>) { write(RecordedEnd(outcome).document) }

  private func write(_ line: JSONValue) {
    guard !hasFailed else { return }
    do throws(Failure) { try file.write(Array((line.text + "\n").utf8)) } catch { fail(error) }
  }

  private func fail(_ error: Failure) {
    guard !hasFailed else { return }
    hasFailed = true
    onFailure(error)
  }
}

/// How a recorded run ended, in the words of the form.
struct RecordedEnd: Equatable {
  /// `success`, `failure` or `ended`.
  let kind: String
  /// The names of the result's fields, the reason, or the code of what ended it.
  let words: [String]

  init(kind: String, words: [String]) { (self.kind, self.words) = (kind, words) }

  init(_ outcome: Result<StrategyOutcome, Failure>) {
    switch outcome {
    case .success(.success(let fields)): self.init(kind: "success", words: fields.keys.sorted())
    case .success(.failure(let failure)): self.init(kind: "failure", words: ["\(failure.reason)"])
    case .failure(let failure): self.init(kind: "ended", words: [failure.code.name])
    }
  }

  var document: JSONValue { ["end": .string(kind), "words": .strings(words)] }

  /// It, for people. Safe to print: the words may be a file's.
  var text: String {
    let text =
      switch kind {
      case "success": "signed in with \(words.joined(separator: ", "))"
      case "failure": "failed: \(words.joined())"
      default: "ended: \(words.joined())"
      }
    return OutsideText.clean(text, limit: 400)
  }
}
