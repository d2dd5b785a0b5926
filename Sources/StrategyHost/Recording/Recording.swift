internal import Basics
internal import SecureMemory
internal import StrategyWire

/// A recording that was read.
struct Recording {
  /// A call, and how it was answered.
  struct Call {
    let call: HostCall
    /// The masked request.
    let request: JSONValue
    let status: HostStatus
    let answer: JSONValue
    /// The code of what ended the run during this call; nil when it was answered.
    let ended: String?
  }

  let strategy: String
  let digest: String?
  /// Whether the identifier was known beforehand.
  let hadIdentifier: Bool
  let calls: [Call]
  /// How it ended; nil when the file was cut.
  let end: RecordedEnd?

  // A run makes at most 4,096 calls with 1 MiB each; no recording of a sign-in comes near.
  private static let limit = 64 << 20

  /// Reads a file. Throws ``FailureCode/notFound``, ``FailureCode/configuration`` when it is none.
  init(file path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(Failure) { bytes = try Files.read(path, limit: Recording.limit) } catch {
      throw error.hinting(Recording.hint)
    }
    var lines: [JSONValue] = []
    for (number, line) in bytes.split(separator: 0x0A).enumerated() {
      do throws(JSONFault) { lines.append(try JSONReader.value(Array(line), maximumSize: 4 << 20)) } catch {
        throw Recording.unreadable(path, "line \(number + 1) is not JSON")
      }
    }
    guard let head = lines.first, let strategy = head["strategy"]?.string,
      case .integer(let version)? = head["recording"]
    else { throw Recording.unreadable(path, "it does not begin as one") }
    guard version == Int64(StrategyRecorder.version) else {
      throw Recording.unreadable(path, "it is of version \(version), not \(StrategyRecorder.version)")
    }
    self.strategy = strategy
    digest = head["digest"]?.string
    hadIdentifier = head["identifier"] == .bool(true)
    var calls: [Call] = []
    var end: RecordedEnd?
    for (index, line) in lines.enumerated().dropFirst() {
      if let kind = line["end"]?.string, let words = line["words"]?.strings, index == lines.count - 1 {
        end = RecordedEnd(kind: kind, words: words)
        continue
      }
      guard let call = Call(line) else { throw Recording.unreadable(path, "line \(index + 1) is not understood") }
      calls.append(call)
    }
    self.calls = calls
    self.end = end
  }

  private static let hint = "'mfsctl session login --record FILE' makes one"

  private static func unreadable(_ path: String, _ why: String) -> Failure {
    Failure(
      .configuration, "\(OutsideText.clean(path, limit: 300)) is not a recording: \(why)",
      hint: hint)
  }
}

extension Recording.Call {
  init?(_ line: JSONValue) {
    guard let name = line["name"]?.string, let call = HostCall.allCases.first(where: { "\($0)" == name }),
      let request = line["request"]
    else { return nil }
    self.call = call
    self.request = request
    ended = line["ended"]?.string
    guard ended == nil else {
      (status, answer) = (.cancelled, .null)
      return
    }
    guard let word = line["status"]?.string, let status = HostStatus.allCases.first(where: { "\($0)" == word }),
      let answer = line["answer"], answer.members != nil
    else { return nil }
    self.status = status
    self.answer = answer
  }
}
