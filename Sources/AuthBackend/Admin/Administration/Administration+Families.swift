public import BackendKeys
public import BackendStore
public import Basics

extension Administration {
  /// Ends sign-ins. Returns those that had not ended.
  public func end(_ which: FamilySelection) throws(Failure) -> [Family] {
    let ended = try store.end(which, .administrator, now: now, denyUntil: denyUntil)
    try auditEnd(of: ended, .administrator)
    return ended
  }

  /// Removes a user's device; its sign-ins end at once. Returns those. Throws ``FailureCode/notFound``.
  public func removeDevice(_ id: String, of user: User) throws(Failure) -> [Family] {
    let ended: [Family]
    do throws(Failure) {
      ended = try store.removeDevice(user: user.id, id: id, now: now, denyUntil: denyUntil)
    } catch {
      guard error.code == .notFound else { throw error }
      throw Failure(
        .notFound, "the user has no device '\(OutsideText.clean(id, limit: 100))'", hint: "'device list' names them")
    }
    try audit("device.removed", ["user": user.id, "device": id])
    try auditEnd(of: ended, .device)
    return ended
  }

  /// After a backup was restored: ends every sign-in and every browser's session. What honest clients hold is newer than the store
  /// and would look like a thief's; ended sign-ins raise no alarm. Of sign-ins that began after the backup the store knows nothing, so the
  /// keys that may have signed their tokens are taken out of use, and a new one signs at once. One record of the audit log says so.
  /// Returns how many had not ended.
  public func endAfterRestore(_ keys: KeyRing) throws(Failure) -> Int {
    // The newest last: what goes on meanwhile is signed with one that is made in its place.
    for key in try keys.list() { try note(try keys.retire(key.keyID)) }
    let ended = try store.end(.all, .administrator, now: now, denyUntil: denyUntil).count
    for user in try store.users() { try store.endBrowserSessions(id: nil, user: user.id) }
    try audit("store.restored", ["ended": "\(ended)"])
    return ended
  }
}
