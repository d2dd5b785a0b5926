internal import Basics

/// Replaces the references in the values of merged layers as dotenv-expand 11.0.7, and so every Expo, does: once, over
/// all files, in the order of the reader. Where the real one would overflow its stack, a cycle is reported; nothing here
/// recurses, and what is made is limited, so that no file can exhaust the machine.
struct Expander {
  /// The longest value that is made, and how much is made in all, in bytes; how many references are followed, and how
  /// much text of defaults is looked through for more, since each level of nesting looks through the rest once more.
  static let limits = (value: 1 << 20, total: 16 << 20, steps: 4_000_000, defaults: 4 << 20)

  /// What a reference in a key's own value came to.
  struct Lookup: Hashable {
    enum Outcome: Hashable { case process, file, defaultValue, empty, unset, itself }
    /// The name that it refers to.
    let name: String
    let outcome: Outcome
    /// Where it stands: offsets into the key's value before expansion; nil when it stands in a process variable.
    let range: Range<Int>?
  }

  private enum Source: Hashable { case file, process, part }

  private struct Frame {
    var scanner: ReferenceScanner
    let text: ArraySlice<UInt8>
    var position: Int
    /// The key that a reference to must not be followed from here; -1 for a name that nobody sets.
    let key: Int
    let source: Source
    let outputStart: Int
    /// The offset of the text in the value of the key that is expanded; nil when it is no part of it.
    let ownOffset: Int?
  }

  let layers: MergedLayers
  /// Per key that was expanded, its value.
  private(set) var expanded: [Int: [UInt8]] = [:]
  /// Per key with references, what they came to, in order.
  private(set) var lookups: [Int: [Lookup]] = [:]
  /// Keys that refer to each other in a circle, each circle once, by their order in it.
  private(set) var cycles: [[Int]] = []
  /// The keys of every circle, and those whose value depends on one.
  private(set) var broken: Set<Int> = []

  private var inCycle: Set<Int> = []
  /// What a key's value comes to inside another's, until something that it depends on changes.
  private var settled: [Int: [UInt8]] = [:]
  /// Keys that a reference found to have a value, so that it left its default aside.
  private var defaulted: Set<Int> = []
  private var frames: [Frame] = []
  private var active: [Int: Int] = [:]
  private var output: [UInt8] = []
  private var made = 0
  private var kept = 0
  private var steps = 0
  private var defaultsRead = 0

  init(_ layers: MergedLayers) { self.layers = layers }

  /// Expands every value with a `$`, in the order of the reader. Throws ``FailureCode/configuration`` when that makes too much.
  mutating func run() throws(Failure) {
    var numbers = layers.winners.indices.filter { number in
      layers.entry(layers.winners[number]).map { $0.entry.marks.contains(.dollar) } ?? false
    }
    // From its turn on, a key that the process environment sets is what that says.
    let set = layers.environment.variables.keys.compactMap { layers.keys.lookUp(Array($0.utf8)[...]) }
    numbers.append(contentsOf: set.filter { layers.winners[$0] != .none })
    var seen: Set<Int> = []
    for number in layers.expansionOrder(numbers) where seen.insert(number).inserted { try expand(number) }
  }

  /// A key's value in the files as it stands now: expanded if its turn has come.
  func current(_ number: Int) -> ArraySlice<UInt8>? { expanded[number]?[...] ?? layers.fileValue(number) }

  private mutating func expand(_ number: Int) throws(Failure) {
    guard let raw = layers.fileValue(number) else { return }
    if let process = layers.processValue(number), !raw.elementsEqual(process.utf8) {
      expanded[number] = withoutEscapes(Array(process.utf8))
      settled.removeAll()
      return
    }
    guard raw.contains(Byte.dollar) else { return }
    lookups[number] = []
    guard !inCycle.contains(number) else { return fail(number) }
    output.removeAll(keepingCapacity: true)
    push(raw, key: number, source: .file, ownOffset: 0)
    guard try runFrames(for: number) else { return fail(number) }
    let value = withoutEscapes(output)
    made += value.count
    guard made <= Expander.limits.total else { throw tooMuch(number) }
    expanded[number] = value
    // From now on, references to it take their default.
    if value.isEmpty, defaulted.contains(number) { settled.removeAll() }
  }

  private mutating func fail(_ number: Int) {
    broken.insert(number)
    expanded[number] = []
  }

  private mutating func push(_ text: ArraySlice<UInt8>, key: Int, source: Source, ownOffset: Int?) {
    if source == .part {
      defaultsRead += text.count
    } else {
      active[key * 2 + (source == .process ? 1 : 0)] = frames.count
    }
    frames.append(
      Frame(
        scanner: ReferenceScanner(text), text: text, position: text.startIndex, key: key, source: source,
        outputStart: output.count, ownOffset: ownOffset))
  }

  private mutating func pop() {
    guard let frame = frames.popLast(), frame.source != .part else { return }
    active[frame.key * 2 + (frame.source == .process ? 1 : 0)] = nil
    // What holds no `$` any more comes out the same whenever it is asked for.
    if frame.source == .file, !frames.isEmpty {
      let result = output[frame.outputStart...]
      if kept + result.count <= Expander.limits.total, !result.contains(Byte.dollar) {
        kept += result.count
        settled[frame.key] = Array(result)
      }
    }
  }

  /// Runs until every frame is done; false when a circle was met.
  private mutating func runFrames(for number: Int) throws(Failure) -> Bool {
    while var frame = frames.popLast() {
      guard let reference = frame.scanner.next(from: frame.position) else {
        output.append(contentsOf: frame.text[frame.position...])
        frames.append(frame)
        pop()
        guard output.count <= Expander.limits.value else { throw tooMuch(number) }
        continue
      }
      output.append(contentsOf: frame.text[frame.position..<reference.range.lowerBound])
      frame.position = reference.range.upperBound
      frames.append(frame)
      steps += 1
      guard output.count <= Expander.limits.value, steps <= Expander.limits.steps,
        defaultsRead <= Expander.limits.defaults
      else {
        throw tooMuch(number)
      }
      if reference.isEscaped {
        output.append(contentsOf: frame.text[reference.range].dropFirst())
      } else if !follow(reference, in: frame, for: number) {
        frames.removeAll(keepingCapacity: true)
        active.removeAll(keepingCapacity: true)
        return false
      }
    }
    return true
  }

  /// Does what a reference asks for; false when it closes a circle.
  private mutating func follow(_ reference: Reference, in frame: Frame, for number: Int) -> Bool {
    let name = frame.text[reference.name]
    let target = layers.keys.lookUp(name)
    func record(_ outcome: Lookup.Outcome) {
      guard frame.ownOffset != nil || frame.source == .process else { return }
      let range = frame.ownOffset.map { offset in
        let start = offset + reference.range.lowerBound - frame.text.startIndex
        return start..<(start + reference.range.count)
      }
      lookups[number, default: []].append(
        Lookup(name: String(decoding: name, as: UTF8.self), outcome: outcome, range: range))
    }
    let process = target.flatMap { layers.processValue($0) }
    let inFiles = target.flatMap { current($0) }
    if let target, let process, !process.isEmpty {
      record(.process)
      if let inFiles, inFiles.elementsEqual(process.utf8) {
        output.append(contentsOf: inFiles)
        return true
      }
      return enter(Array(process.utf8)[...], key: target, source: .process)
    }
    if let target, let inFiles, !inFiles.isEmpty, target != frame.key {
      record(.file)
      if reference.defaultValue != nil { defaulted.insert(target) }
      if let known = settled[target] {
        output.append(contentsOf: known)
        return true
      }
      return enter(inFiles, key: target, source: .file)
    }
    if let range = reference.defaultValue {
      record(.defaultValue)
      let text = frame.text[range]
      guard text.first == Byte.dollar else {
        output.append(contentsOf: text)
        return true
      }
      push(
        text, key: target ?? -1, source: .part,
        ownOffset: frame.ownOffset.map { $0 + range.lowerBound - frame.text.startIndex })
      return true
    }
    record(target == frame.key ? .itself : process != nil || inFiles != nil ? .empty : .unset)
    return true
  }

  private mutating func enter(_ text: ArraySlice<UInt8>, key: Int, source: Source) -> Bool {
    if inCycle.contains(key) { return false }
    if let start = active[key * 2 + (source == .process ? 1 : 0)] {
      let circle = frames[start...].filter { $0.source != .part }.map(\.key)
      inCycle.formUnion(circle)
      if let first = circle.indices.min(by: { circle[$0] < circle[$1] }) {
        cycles.append(Array(circle[first...] + circle[..<first]))
      }
      return false
    }
    push(text, key: key, source: source, ownOffset: nil)
    return true
  }

  /// Finally every `\$` becomes `$`.
  private func withoutEscapes(_ value: [UInt8]) -> [UInt8] {
    guard value.contains(Byte.backslash) else { return value }
    var result: [UInt8] = []
    result.reserveCapacity(value.count)
    var index = 0
    while index < value.count {
      if value[index] == Byte.backslash, index + 1 < value.count, value[index + 1] == Byte.dollar { index += 1 }
      result.append(value[index])
      index += 1
    }
    return result
  }

  private func tooMuch(_ number: Int) -> Failure {
    Failure(
      .configuration, "the references of \(KeyText.shown(layers.keys.name(number))) make too much text",
      hint: "a value may have 1 MiB and all of them 16 MiB; look for values that repeat each other")
  }
}
