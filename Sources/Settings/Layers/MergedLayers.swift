internal import Basics

/// The assignments of several files as one: for each key, which entry counts. The process environment stands above.
struct MergedLayers {
  /// An entry of a file of the stack.
  struct Slot: Hashable {
    let file: Int32
    let entry: Int32
    static let none = Slot(file: -1, entry: -1)
  }

  /// The files, lowest first.
  let files: [EnvFile]
  let documents: [EnvDocument?]
  let environment: Environment
  private(set) var keys: KeyTable
  /// Per key number, the entry that counts; ``Slot/none`` for a key that no file sets.
  private(set) var winners: [Slot] = []
  /// Per key number, the lowest file that sets it.
  private(set) var firstFiles: [Int32] = []
  /// Entries that a later entry of their own file replaces, with that later one.
  private(set) var duplicates: [(lost: Slot, kept: Slot)] = []
  /// How many more there are.
  private(set) var omittedDuplicates = 0

  /// Merges files, lowest first. Names in `known` and those of the environment get numbers too, `known` the lowest.
  init(_ files: [EnvFile], known: [String] = [], environment: Environment) {
    self.files = files
    self.environment = environment
    documents = files.map(\.document)
    let count = documents.reduce(0) { $0 + ($1?.entries.count ?? 0) }
    keys = KeyTable(expecting: known.count + environment.variables.count + count)
    winners.reserveCapacity(count)
    firstFiles.reserveCapacity(count)
    for name in known { _ = number(known: name) }
    for name in environment.variables.keys { _ = number(known: name) }
    for (file, document) in documents.enumerated() {
      guard let document else { continue }
      for (index, entry) in document.entries.enumerated() {
        let number = keys.number(document.text.bytes[entry.key.indices])
        let slot = Slot(file: Int32(file), entry: Int32(index))
        guard number < winners.count else {
          winners.append(slot)
          firstFiles.append(Int32(file))
          continue
        }
        if winners[number] == .none { firstFiles[number] = Int32(file) }
        if winners[number].file == Int32(file) {
          if duplicates.count < EnvReader.problemLimit {
            duplicates.append((winners[number], slot))
          } else {
            omittedDuplicates += 1
          }
        }
        winners[number] = slot
      }
    }
  }

  private mutating func number(known name: String) -> Int {
    let number = keys.number(name)
    if number == winners.count {
      winners.append(.none)
      firstFiles.append(-1)
    }
    return number
  }

  func entry(_ slot: Slot) -> (document: EnvDocument, entry: EnvEntry)? {
    guard slot != .none, let document = documents[Int(slot.file)] else { return nil }
    return (document, document.entries[Int(slot.entry)])
  }

  /// What the files say a key is, before expansion.
  func fileValue(_ number: Int) -> ArraySlice<UInt8>? {
    entry(winners[number]).map { $0.entry.bytes(in: $0.document.text) }
  }

  /// The value of a key in the process environment.
  func processValue(_ number: Int) -> String? {
    environment.variables.isEmpty ? nil : environment[keys.name(number)]
  }

  /// The numbers of the keys that a file sets, in the order in which the app's reader expands them: whole numbers
  /// first, then by the lowest file that sets the key, in the order of their bytes (Node's reader sorts them).
  func expansionOrder(_ numbers: [Int]) -> [Int] {
    func arrayIndex(_ number: Int) -> UInt32? {
      let bytes = keys.bytes(number)
      guard let first = bytes.first, bytes.allSatisfy(Byte.isDigit), first != 0x30 || bytes.count == 1 else {
        return nil
      }
      return UInt32(keys.name(number)).flatMap { $0 == .max ? nil : $0 }
    }
    return numbers.map { (number: $0, index: arrayIndex($0)) }.sorted { a, b in
      switch (a.index, b.index) {
      case (let a?, let b?): return a < b
      case (.some, nil): return true
      case (nil, .some): return false
      case (nil, nil): break
      }
      if firstFiles[a.number] != firstFiles[b.number] { return firstFiles[a.number] < firstFiles[b.number] }
      return keys.bytes(a.number).lexicographicallyPrecedes(keys.bytes(b.number))
    }.map(\.number)
  }
}
