internal import Basics
internal import SecureMemory
internal import Vault

/// The steps of a change. Each takes the lock as a witness that it is held.
extension SecretServiceVault {
  /// Finishes a change that was cut short, if there is one.
  func finishInterruptedChange() throws(Failure) {
    let lock = try takeLock()
    _ = try finishInterruptedChange(lock)
  }

  /// The same under the lock; returns the settled state.
  func finishInterruptedChange(_ lock: borrowing ProfileLock) throws(Failure) -> KeyringState {
    let state = try KeyringState(keyring)
    guard state.hasJournal else { return state }
    if let journal = try state.journal() {
      try carryOut(journal, from: state, lock)
    } else {
      // A journal is read back before its change begins, so one that cannot be read has changed nothing.
      try removeAll(state.paths(of: ItemAttributes.journalKey))
    }
    return try KeyringState(keyring)
  }

  /// Writes a change down. Until this returns the vault is the old one; from then on it is the new one.
  func begin(_ journal: Journal, _ lock: borrowing ProfileLock) throws(Failure) {
    let bytes = try journal.item().encoded()
    do throws(Failure) {
      let path = try keyring.write(key: ItemAttributes.journalKey, EncodedSecret(bytes))
      // Some providers cut or drop what they do not like and report success.
      guard case .bytes(let kept)? = try keyring.secrets(at: [path])[path], kept.bytes.equals(bytes) else {
        throw Failure(
          .inputOutput, "the keyring did not keep the \(bytes.count) bytes that were written; the vault is unchanged",
          hint: "is its disk full, or the value too large for it?")
      }
    } catch {
      // It may have been written although the call failed, and must not be carried out after we said that it failed.
      try? removeAll(keyring.search(key: ItemAttributes.journalKey))
      throw error
    }
  }

  /// Carries a change out and removes its journal. Every step may have been done before.
  func carryOut(_ journal: Journal, from state: KeyringState, _ lock: borrowing ProfileLock) throws(Failure) {
    switch journal.kind {
    case .change: try finishing { () throws(Failure) in try apply(journal, to: state) }
    case .destroy: try carryOutDestruction(lock)
    }
  }

  /// Removes everything, the journal last. It reads nothing, since it must work on what cannot be read.
  func carryOutDestruction(_ lock: borrowing ProfileLock) throws(Failure) {
    try finishing { () throws(Failure) in
      let journal = Set(try keyring.search(key: ItemAttributes.journalKey))
      try removeAll(keyring.search().filter { !journal.contains($0) })
    }
  }

  private func finishing(_ steps: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) {
      try steps()
      try removeAll(keyring.search(key: ItemAttributes.journalKey))
    } catch {
      throw Failure(
        .partial, "the change is written down but not yet carried out in full: \(error.message)",
        hint: "the next command that opens the vault finishes it; \(error.hint ?? "run 'mfsctl vault status'")")
    }
  }

  private func apply(_ journal: Journal, to state: KeyringState) throws(Failure) {
    let generation = journal.metadata.generation
    for (name, entry) in journal.set {
      let done = state.slots[name.text]?.item.generation == generation && state.paths(of: name.text).count == 1
      if done { continue }
      let value = SecureBox(try entry.value.copy())
      try put(Item(key: name.text, generation: generation, updatedAt: entry.updatedAt, value: value), over: state)
    }
    for name in journal.removed { try removeAll(state.paths(of: name.text)) }
    try verify(journal)
    try put(journal.metadata.item, over: state)
  }

  /// Writes an item and removes everything else that claims to be it.
  private func put(_ item: Item, over state: KeyringState) throws(Failure) {
    let path = try keyring.write(key: item.key, EncodedSecret(item.encoded()))
    try removeAll(state.paths(of: item.key).filter { $0 != path })
  }

  private func removeAll(_ paths: [String]) throws(Failure) {
    for path in paths { try keyring.delete(path) }
  }

  /// Reads back what a change did, before it is called done.
  private func verify(_ journal: Journal) throws(Failure) {
    let state = try KeyringState(keyring)
    for (name, entry) in journal.set {
      guard let item = state.slots[name.text]?.item, item.value.bytes.equals(entry.value) else {
        throw Failure(.inputOutput, "the keyring did not keep \(name)", hint: "is its disk full?")
      }
    }
    for name in journal.removed where !state.paths(of: name.text).isEmpty {
      throw Failure(.inputOutput, "the keyring did not remove \(name)", hint: "is its disk full?")
    }
  }
}
