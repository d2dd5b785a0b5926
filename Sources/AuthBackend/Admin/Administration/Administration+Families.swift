public import BackendKeys
public import BackendStore
public import Basics

extension Administration {
  /// Ends sign-ins. Returns those that had not ended.
  public func end(_ which: FamilySelection) throws(Failure) -> [Family] {
    try store.end(which, .administrator, now: now, denyUntil: denyUntil) { entries($0, .administrator) }
  }

  /// Ends sign-ins of which there may be any number. Returns how many had not ended.
  public func end(_ which: ManyFamilies) throws(Failure) -> Int {
    try store.endAll(
      which, .administrator, now: now, denyUntil: denyUntil, audit: { entries($0, .administrator) })
  }

  /// Removes a user's device; its sign-ins end at once. Returns those. Throws ``FailureCode/notFound``.
  public func removeDevice(_ id: String, of user: User) throws(Failure) -> [Family] {
    do throws(Failure) {
      return try store.removeDevice(user: user.id, id: id, now: now, denyUntil: denyUntil) { ended in
        [entry("device.removed", ["user": user.id, "device": id])] + entries(ended, .device)
      }
    } catch {
      guard error.code == .notFound else { throw error }
      throw Failure(
        .notFound, "the user has no device '\(OutsideText.clean(id, limit: 100))'", hint: "'device list' names them")
    }
  }

  /// After a backup was restored: ends every sign-in and every browser's session. What honest clients hold is newer than the store
  /// and would look like a thief's; ended sign-ins raise no alarm. Of sign-ins that began after the backup the store knows nothing, so the
  /// keys that may have signed their tokens are taken out of use, and a new one signs at once. One record of the audit log says so.
  /// Returns how many had not ended. It may be run again when it was cut off.
  public func endAfterRestore(_ keys: KeyRing) throws(Failure) -> Int {
    // The newest last: what goes on meanwhile is signed with one that is made in its place.
    for key in try keys.list() { try keys.retire(key.keyID) }
    // First what could sign in again.
    while try store.endSomeBrowserSessions(limit: 500) > 0 {}
    let ended = try store.endAll(.all, .administrator, now: now, denyUntil: denyUntil)
    try audit("store.restored", ["ended": "\(ended)"])
    return ended
  }
}
