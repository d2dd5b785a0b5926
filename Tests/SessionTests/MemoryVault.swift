import Basics
import SecureMemory
import Synchronization
import Vault

/// What is in a vault that lives in memory, shared by the backends that are open on it.
final class MemoryStore: Sendable {
  struct State {
    var generation: UInt64 = 1
    var values: [String: [UInt8]] = [:]
    var times: [String: Timestamp] = [:]
    var commits = 0
    var failsToWrite = false
  }

  private let state = Mutex(State())

  var values: [String: [UInt8]] { state.withLock { $0.values } }
  var commits: Int { state.withLock { $0.commits } }
  var generation: UInt64 { state.withLock { $0.generation } }
  func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

  /// What somebody else does to the vault.
  func change(_ body: (inout [String: [UInt8]]) -> Void) {
    state.withLock {
      body(&$0.values)
      $0.generation += 1
    }
  }

  func set(_ name: String, _ text: String?) { change { $0[name] = text.map { Array($0.utf8) } } }
  func failToWrite() { state.withLock { $0.failsToWrite = true } }

  func contents() throws(Failure) -> VaultContents {
    try MemoryStore.contents(state.withLock { $0 })
  }

  private static func contents(_ state: State) throws(Failure) -> VaultContents {
    var entries: [KeyName: VaultContents.Entry] = [:]
    for (name, bytes) in state.values {
      let value = try SecureBytes(count: bytes.count)
      unsafe value.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
      entries[try KeyName(name)] = VaultContents.Entry(
        value: value, updatedAt: state.times[name] ?? Timestamp(seconds: 0))
    }
    return VaultContents(generation: state.generation, entries: entries)
  }

  func update(
    _ expected: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    try state.withLock { state throws(Failure) in
      if let expected, expected != state.generation { throw Failure(.vaultRolledBack, "another generation") }
      let contents = try MemoryStore.contents(state)
      try edit(contents)
      guard !contents.changes.isEmpty else { return state.generation }
      guard !state.failsToWrite else { throw Failure(.inputOutput, "no space left") }
      state.values = [:]
      for (name, entry) in contents.entries {
        state.times[name.text] = entry.updatedAt
        state.values[name.text] = unsafe entry.value.withBytes { unsafe Array($0) }
      }
      state.generation += 1
      state.commits += 1
      return state.generation
    }
  }
}

final class MemoryVault: VaultBackend {
  let store: MemoryStore
  init(_ store: MemoryStore) { self.store = store }
  var kind: BackendKind { .file }
  func contents() throws(Failure) -> VaultContents { try store.contents() }
  func update(
    expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 { try store.update(expectedGeneration, edit) }
}
