public import Basics

extension SQLiteStore {
  /// See ``AuthStore/device(user:id:)``.
  public func device(user: String, id: String) throws(Failure) -> Device? {
    try readers.read { database throws(Failure) in try database.device(user: user, id: id) }
  }

  /// See ``AuthStore/devices(user:limit:)``.
  public func devices(user: String?, limit: Int) throws(Failure) -> [Device] {
    try readers.read { database throws(Failure) in
      let limit = SQLValue.integer(Int64(clamping: max(0, limit)))
      if let user { return try database.all(Database.findDevicesOfUser, limit, .text(user)) { $0.device() } }
      return try database.all(Database.findDevices, limit) { $0.device() }
    }
  }

  /// See ``AuthStore/device(keyID:)``.
  public func device(keyID: [UInt8]) throws(Failure) -> Device? {
    try readers.read { database throws(Failure) in try database.device(keyID: keyID) }
  }

  /// See ``AuthStore/removeDevice(user:id:now:denyUntil:audit:)``.
  public func removeDevice(
    user: String, id: String, now: Timestamp, denyUntil: Timestamp?, audit: Auditing<[Family]>?
  ) throws(Failure) -> [Family] {
    try writer.perform { database throws(Failure) in
      try database.audited(audit) { () throws(Failure) in
        guard try database.run(Database.deleteDevice, .text(user), .text(id)) == 1 else { throw Database.noDevice }
        return try database.end(.device(user: user, device: id), .device, now: now, denyUntil: denyUntil)
      }
    }
  }
}

extension Database {
  private static let deviceColumns = """
    user, id, name, platform, first_seen_at, last_seen_at, key_id, public_key, counter, verdict, verdict_at
    """
  private static let seeDevice = Query(
    """
    INSERT INTO device (user, id, name, platform, first_seen_at, last_seen_at)
    VALUES (?1, ?2, coalesce(?3, ?2), coalesce(?4, ''), ?5, ?5)
    ON CONFLICT (user, id) DO UPDATE SET name = coalesce(?3, name), platform = coalesce(?4, platform),
      last_seen_at = max(last_seen_at, excluded.last_seen_at)
    """)
  private static let findDevice = Query("SELECT \(deviceColumns) FROM device WHERE user = ? AND id = ?")
  fileprivate static let findDevices = Query(
    "SELECT \(deviceColumns) FROM device ORDER BY last_seen_at DESC, rowid DESC LIMIT ?1")
  fileprivate static let findDevicesOfUser = Query(
    "SELECT \(deviceColumns) FROM device WHERE user = ?2 ORDER BY last_seen_at DESC, rowid DESC LIMIT ?1")
  private static let findDeviceByKey = Query("SELECT \(deviceColumns) FROM device WHERE key_id = ?")
  fileprivate static let deleteDevice = Query("DELETE FROM device WHERE user = ? AND id = ?")
  fileprivate static var noDevice: Failure { Failure(.notFound, "the user has no such device") }

  func device(user: String, id: String) throws(Failure) -> Device? {
    try first(Database.findDevice, .text(user), .text(id)) { $0.device() }
  }

  func device(keyID: [UInt8]) throws(Failure) -> Device? {
    try first(Database.findDeviceByKey, .blob(keyID)) { $0.device() }
  }

  /// Keeps that the device of a family that begins, if it has one, was seen.
  func see(_ family: Family, _ description: DeviceDescription) throws(Failure) {
    guard let device = family.device else { return }
    try run(
      Database.seeDevice, .text(family.user), .text(device), .optional(description.name),
      .optional(description.platform), .time(family.createdAt))
  }
}

extension Row {
  fileprivate mutating func device() -> Device {
    let user = text(), id = text(), name = text(), platform = text()
    var device = Device(user: user, id: id, name: name, platform: platform, at: time())
    device.lastSeenAt = time()
    let keyID = optional { $0.blob() }, publicKey = optional { $0.blob() }, counter = optional { $0.integer() }
    if let keyID, let publicKey, let counter {
      device.key = DeviceKey(id: keyID, publicKey: publicKey, counter: counter)
    }
    let verdict = optionalText(), at = optionalTime()
    if let verdict, let at { device.verdict = Device.Verdict(verdict, at: at) }
    return device
  }
}
