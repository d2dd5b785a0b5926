internal import Basics

// What attestations showed is held to devices and kept, as a part of the step that it was shown for.
extension Database {
  private static let keepKey = Query(
    """
    UPDATE device SET key_id = ?, public_key = ?, counter = ?, verdict = ?, verdict_at = ? WHERE user = ? AND id = ?
    """)
  // A key that is there and empty is that of a device which has none to show.
  private static let keepGenuine = Query(
    """
    UPDATE device SET public_key = coalesce(public_key, x''), verdict = ?, verdict_at = ? WHERE user = ? AND id = ?
    """)
  private static let findKeyless = Query(
    "SELECT 1 FROM device WHERE user = ? AND id = ? AND key_id IS NULL AND public_key IS NOT NULL")
  private static let keepVerdict = Query("UPDATE device SET verdict = ?, verdict_at = ? WHERE user = ? AND id = ?")
  private static let raiseCounter = Query(
    """
    UPDATE device SET counter = ?1, verdict = ?2, verdict_at = ?3
    WHERE user = ?4 AND id = ?5 AND key_id = ?6 AND counter < ?1
    """)

  /// Why a finding is not that of a user's device; nil when it is, or when there is none. At a sign-in the device may be new.
  func misfit(
    _ finding: DeviceFinding?, user: String, device id: String?, isSignIn: Bool
  ) throws(Failure) -> DeviceMisfit? {
    guard let finding else { return nil }
    if finding.evidence == .nothing { return .nothing }
    guard let id else { return .noDevice }
    let device = try device(user: user, id: id)
    guard isSignIn || device != nil else { return .noDevice }
    switch finding.evidence {
    case .nothing: return .nothing
    case .genuine: return isSignIn || device?.key == nil ? nil : .otherKey
    case .newKey(let key):
      if !isSignIn {
        guard device?.key == nil, try !isKeyless(user: user, device: id) else { return .otherKey }
      }
      guard let kept = try self.device(keyID: key.id) else { return nil }
      return isSame(kept.user, user) && isSame(kept.id, id) ? nil : .keyTaken
    case .assertion(let key):
      guard let kept = device?.key, kept.id == key.id, kept.publicKey == key.publicKey else { return .otherKey }
      return key.counter > kept.counter ? nil : .counter
    }
  }

  /// Whether a device showed to be genuine without a key, and brought none since.
  private func isKeyless(user: String, device id: String) throws(Failure) -> Bool {
    try first(Database.findKeyless, .text(user), .text(id)) { $0.integer() } != nil
  }

  /// Keeps a finding with a device that is there, or that it does not fit.
  func keep(
    _ finding: DeviceFinding?, _ misfit: DeviceMisfit?, user: String, device id: String?
  ) throws(Failure) {
    guard let finding, let id else { return }
    let verdict = finding.verdict, user = SQLValue.text(user), device = SQLValue.text(id)
    let text = misfit.map { $0 == .nothing ? verdict.text : "refused: \($0.rawValue)" } ?? verdict.text
    let changed: Int
    switch (misfit, finding.evidence) {
    case (nil, .newKey(let key)):
      // A key that comes again is no way to make its counter fall.
      let kept = try self.device(keyID: key.id)?.key?.counter ?? key.counter
      changed = try run(
        Database.keepKey, .blob(key.id), .blob(key.publicKey), .integer(max(key.counter, kept)), .text(text),
        .time(verdict.at), user, device)
    case (nil, .assertion(let key)):
      changed = try run(
        Database.raiseCounter, .integer(key.counter), .text(text), .time(verdict.at), user, device, .blob(key.id))
    case (nil, .genuine):
      changed = try run(Database.keepGenuine, .text(text), .time(verdict.at), user, device)
    default:
      changed = try run(Database.keepVerdict, .text(text), .time(verdict.at), user, device)
    }
    guard changed == 1 || misfit != nil else { throw Failure(.bug, "a device changed while it was being looked at") }
  }
}
