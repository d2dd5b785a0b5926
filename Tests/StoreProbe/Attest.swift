internal import BackendStore
import BackendStoreConformance
internal import Basics
internal import Glibc

/// Signs devices in with codes and assertions whose counters rise, a thread for each, until it is killed.
func attest(file: String, devices: Int) throws(Failure) {
  let store = try SQLiteStore(path: file)
  let now = Timestamp(seconds: 1_000_000_000)
  if try store.user(id: "u") == nil { try store.add(User(id: "u", name: "u", passwordHash: nil, createdAt: now)) }
  for device in 1...max(1, devices) {
    let worker = try Thread {
      while let text = try? signIn(device, in: store, at: now) { say(text) }
      say("stopped \(device)")
    }
    worker.detach()
  }
  while true { pause() }
}

/// One sign-in of a device, with its first key or the counter after the last; nil when it was refused.
private func signIn(_ device: Int, in store: SQLiteStore, at now: Timestamp) throws(Failure) -> String? {
  let id = "device-\(device)", known = try store.device(user: "u", id: id)?.key
  var key = DeviceKey(id: [UInt8(truncatingIfNeeded: device)], publicKey: [4], counter: 0)
  if let known { key.counter = known.counter + 1 }
  let number = known == nil ? 0 : key.counter, code = hash(1_000 + device, number)
  // What was killed before its code was redeemed left the code.
  do throws(Failure) {
    try store.add(
      AuthorizationCode(
        hash: code, client: "c", redirectURI: "r", challenge: "x", user: "u", device: id, scopes: [], nonce: nil,
        authTime: now, browserSession: nil, expiresAt: now.advanced(by: 60)))
  } catch { guard error.code == .exists else { throw error } }
  let sid = "sid-\(device)-\(number)"
  var redemption = Redemption(
    presented: [code], client: "c", redirectURI: "r", challenge: "x", device: id,
    handle: Array(hash(2_000 + device, number).bytes.prefix(24).suffix(16)), id: sid,
    first: hash(3_000 + device, number), lifetimeSeconds: 1 << 40, idleSeconds: 1 << 40, now: now)
  redemption.description.finding = DeviceFinding(
    known == nil ? .newKey(key) : .assertion(key), verdict: Device.Verdict("good", at: now), isRequired: true)
  redemption.audit = { outcome in
    guard case .redeemed(let family, _, _) = outcome else { return [] }
    return [AuditEntry("sign-in", [.init("sid", family.id)], at: now)]
  }
  guard case .redeemed = try store.redeem(redemption) else { return nil }
  return "\(device) \(number)"
}
