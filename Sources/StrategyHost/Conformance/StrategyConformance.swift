public import Basics
internal import StrategyWire

/// The conformance kit: tries a plugin against a host whose answers stand in a script, in the real sandbox and without a network.
public struct StrategyConformance {
  /// What a check found.
  public struct Finding: Sendable, Equatable {
    /// The check's word.
    public let check: String
    /// What is wrong, as a sentence. Safe to print.
    public let message: String
  }

  /// What came of it.
  public struct Report: Sendable {
    /// The checks that were made, in order.
    public internal(set) var checks: [String] = []
    /// What they found; nothing when the plugin conforms.
    public internal(set) var findings: [Finding] = []
    /// How many times the plugin was run.
    public internal(set) var runs = 0
    /// How its operations ended in the script, e.g. `login: done`.
    public internal(set) var outcomes: [String] = []
  }

  /// The checks, in the order in which they are made.
  public static let checks = [
    "contract", "repeatable", "grease", "growth", "extensions", "cancel", "deadline", "statuses", "oversize", "utf8",
    "secrets", "cycles",
  ]

  /// The checks that are made in addition when the plugin was built with AddressSanitizer.
  public static let sanitizerChecks = ["asan", "leaks"]

  private let base: TrialRun
  private var isSanitized: Bool { base.sanitizer != nil }
  private let manifest: StrategyManifest
  private let cycles: Int
  private var report = Report()
  private var current = ""

  /// Tries a plugin's library, whose manifest stands beside it. Nobody has to have trusted it. `settings` are given to it in place
  /// of those that the kit makes up for what is required; `cycles` is how often it signs in for the last check. With
  /// `sanitizer` the library was built with AddressSanitizer; it is run by `mfs-strategy-trial` then, and not shut in.
  ///
  /// Throws ``FailureCode/usage`` for another file name, ``FailureCode/notFound``, ``FailureCode/pluginRefused`` when it
  /// could not be run at all.
  public static func check(
    file: String, in catalogue: StrategyCatalogue, settings: [String: String] = [:], cycles: Int = 1_000,
    sanitizer: SanitizerRuntime? = nil
  ) throws(Failure) -> Report {
    let inspection = try catalogue.inspectUntrusted(file: file, sanitizer: sanitizer != nil)
    guard let image = inspection.library, let manifest = inspection.manifest else {
      throw Failure(.bug, "a plugin without problems has no library")
    }
    let given = manifest.settings.filter { $0.isRequired || settings[$0.name] != nil }.map { setting in
      WireRecord.Field(setting.name, .text(settings[setting.name] ?? made(setting.name, manifest)))
    }
    var kit = StrategyConformance(
      base: TrialRun(
        plugin: inspection.name, image: image,
        runner: sanitizer == nil ? catalogue.locations.runner : catalogue.locations.trialRunner,
        settings: WireRecord(given),
        sanitizer: try sanitizer.map { runtime throws(Failure) in
          try Sanitizer(runtime, for: image, name: inspection.name.library)
        }),
      manifest: manifest, cycles: cycles)
    try kit.run()
    return kit.report
  }

  private init(base: TrialRun, manifest: StrategyManifest, cycles: Int) {
    self.base = base
    self.manifest = manifest
    self.cycles = cycles
  }

  /// A value for a setting: a URL where the manifest takes it for one.
  private static func made(_ name: String, _ manifest: StrategyManifest) -> String {
    if manifest.provider?.setting == name { return "https://idp.example.invalid" }
    let isOrigin = manifest.origins.contains { $0.place == .setting(name) }
    return isOrigin ? "https://sg.example.invalid" : "mfs"
  }

  private mutating func run() throws(Failure) {
    for operation in manifest.operations {
      var run = base
      run.operation = operation
      current = operation.word
      let usual = try contract(run)
      report.outcomes.append("\(operation.word): \(StrategyConformance.words(usual.end))")
      // One that does not end properly by itself says nothing more under a strain.
      guard usual.isReported else { continue }
      try compare(run, usual)
      try without(run, usual)
      try strain(run, usual)
    }
    // What is wrong already need not be found a thousand times.
    if report.findings.isEmpty { try cycle() }
    report.checks = StrategyConformance.checks.filter {
      $0 != "cycles" || report.findings.allSatisfy { $0.check == "cycles" }
    }
    if isSanitized { report.checks += StrategyConformance.sanitizerChecks }
  }

  private mutating func contract(_ run: TrialRun) throws(Failure) -> TrialOutcome {
    let usual = try attempt(run)
    switch usual.end {
    case .hung: found("deadline", "it is still at work after twice its time")
    case _ where usual.isExplained: break
    case .broken(let text): found("contract", text)
    case .refused(let text): found("contract", "it is refused: \(text)")
    case .success, .failure: break
    }
    return usual
  }

  // With the same answers it does the same, whatever else the host has or says.
  private mutating func compare(_ run: TrialRun, _ usual: TrialOutcome) throws(Failure) {
    try compare(run, usual, "repeatable", WireTrial(), "a second time")
    try compare(run, usual, "grease", WireTrial(isGreased: true), "with a field in the answers that it does not know")
    // An unknown field in front moves the others, so that a plugin which steps over pairs of the wrong size misses them.
    let isGreaseFine = !report.findings.contains { $0.check == "grease" }
    try compare(
      run, usual, "growth", WireTrial(isGrown: true, isGreased: isGreaseFine),
      "with larger structures: it does not go by struct_size and pair_size")
  }

  private mutating func compare(
    _ run: TrialRun, _ usual: TrialOutcome, _ check: String, _ trial: WireTrial, _ how: String
  ) throws(Failure) {
    var other = run
    other.trial = trial
    let outcome = try attempt(other)
    guard outcome.end != usual.end || outcome.calls != usual.calls else { return }
    found(check, "it ends differently \(how) (\(StrategyConformance.words(outcome.end)))")
  }

  private mutating func without(_ run: TrialRun, _ usual: TrialOutcome) throws(Failure) {
    for name in Set(usual.calls.compactMap(\.extensionName)).sorted() {
      var other = run
      other.trial = WireTrial(without: name)
      let outcome = try attempt(other)
      if !outcome.isReported, !outcome.isExplained {
        found("extensions", "without \(name) it reports nothing (\(StrategyConformance.words(outcome.end)))")
      }
    }
  }

  private mutating func strain(_ run: TrialRun, _ usual: TrialOutcome) throws(Failure) {
    for (index, call) in usual.calls.enumerated() {
      let place = "call \(index + 1) (\(call))"
      try expect("cancel", .cancel(during: index), run, "is cancelled during \(place)", reasons: [8])
      for status in HostStatus.allCases where status != .ok {
        let check = status == .timeout ? "deadline" : "statuses"
        try expect(check, .status(status, from: index), run, "gets \(status) from \(place) on")
      }
      try expect("oversize", .answer(at: index, StrategyConformance.oversized), run, "gets a huge answer to \(place)")
      try expect(
        "utf8", .answer(at: index, StrategyConformance.broken), run, "gets bytes that are not UTF-8 from \(place)")
    }
  }

  private mutating func expect(
    _ check: String, _ twist: TrialRun.Twist, _ run: TrialRun, _ when: String, reasons: [UInt32]? = nil
  ) throws(Failure) {
    var other = run
    other.twist = twist
    other.timeout = isSanitized ? 10_000 : 2_000
    let outcome = try attempt(other)
    switch outcome.end {
    case .hung: found("deadline", "it does not end when it \(when)")
    case _ where outcome.isExplained: break
    case .broken(let text): found(check, "when it \(when): \(text)")
    case .refused(let text): found(check, "when it \(when): \(text)")
    case .failure(let reason):
      if let reasons, !reasons.contains(reason) {
        found(check, "it reports reason \(reason), not \(reasons[0]), when it \(when)")
      }
    case .success: break
    }
  }

  private mutating func cycle() throws(Failure) {
    current = StrategyOperation.login.word
    let first = try attempt(base)
    for number in 1..<max(2, cycles) {
      let outcome = try attempt(base)
      guard outcome.end != first.end || outcome.calls != first.calls else { continue }
      return found("cycles", "sign-in \(number + 1) ends differently (\(StrategyConformance.words(outcome.end)))")
    }
  }

  private mutating func attempt(_ run: TrialRun) throws(Failure) -> TrialOutcome {
    report.runs += 1
    let outcome = try run.run()
    for fault in outcome.faults { found(fault.check, fault.text) }
    if !outcome.leaks.isEmpty { found("secrets", "a secret stands in its log, its message or a text of its result") }
    return outcome
  }

  private mutating func found(_ check: String, _ message: String) {
    let finding = Finding(check: check, message: "\(current): \(message)")
    if !report.findings.contains(finding), report.findings.count < 100 { report.findings.append(finding) }
  }

  private static func oversized(_ call: HostCall, _ answer: WireRecord) -> WireRecord {
    // Only what comes from outside can be so large.
    call == .http ? changed(answer) { _ in Array(repeating: 0x7B, count: 1 << 20) } : answer
  }

  private static func broken(_ call: HostCall, _ answer: WireRecord) -> WireRecord {
    changed(answer) { $0.prefix(8) + [0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x00] }
  }

  private static func changed(_ answer: WireRecord, _ change: ([UInt8]) -> [UInt8]) -> WireRecord {
    WireRecord(
      answer.fields.map { field in
        guard case .bytes(let bytes) = field.value else { return field }
        return .init(field.name, .bytes(change(bytes)))
      })
  }

  private static func words(_ end: TrialOutcome.End) -> String {
    switch end {
    case .success: "done"
    case .failure(let reason): "failed for reason \(reason)"
    case .broken(let text): text
    case .refused(let text): "refused: \(text)"
    case .hung: "it does not end"
    }
  }
}

extension HostCall {
  /// The extension that a call belongs to; nil for those of the host's core.
  fileprivate var extensionName: String? {
    switch self {
    case .http: "mfs.http/1"
    case .vaultUse, .vaultRead, .vaultStore: "mfs.vault/1"
    case .prompt, .promptShow: "mfs.prompt/1"
    case .secretNew, .secretJoin, .secretBasic, .secretForm: "mfs.secret/1"
    case .wait: "mfs.timer/1"
    case .browserAuthorize, .browserOpen: "mfs.browser/1"
    case .oidcDiscover, .oidcVerify: "mfs.oidc/1"
    case .clock, .random: nil
    }
  }
}
