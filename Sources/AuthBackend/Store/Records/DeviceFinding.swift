/// What an attestation showed of a device. The step that it is brought for holds it to the device and keeps it, or is refused by it: so
/// there is neither a sign-in without its finding nor a finding without its sign-in, and of many with one counter one passes.
public struct DeviceFinding: Equatable, Sendable {
  /// What was verified, each to be the device's by itself; whether it is, the step sees.
  public enum Evidence: Equatable, Sendable {
    /// Nothing that is good. It does not fit any device.
    case nothing
    /// That it is a genuine device, which has no key to show (Play Integrity). At a rotation it fits a device without a key alone.
    case genuine
    /// A key that its maker vouched for. It must not be kept for another device, nor for another user's; at a sign-in it takes the place
    /// of the one that the device had, at a rotation the device must have none, and not have shown to be genuine without one.
    case newKey(DeviceKey)
    /// Something signed by a key, with the counter of that: the key must be the one that is kept for the device, the counter higher.
    case assertion(DeviceKey)
  }

  /// What was shown.
  public var evidence: Evidence
  /// What is kept with the device when it fits; with ``Evidence/nothing``, why it does not.
  public var verdict: Device.Verdict
  /// Whether nothing is granted when it does not fit. Otherwise that is only kept.
  public var isRequired: Bool

  /// A finding.
  public init(_ evidence: Evidence, verdict: Device.Verdict, isRequired: Bool) {
    self.evidence = evidence
    self.verdict = verdict
    self.isRequired = isRequired
  }
}

/// Why a ``DeviceFinding`` is not the device's. It is kept as the verdict of the device, if that is there: `refused: ` and the raw value,
/// but for ``nothing``, whose verdict says more.
public enum DeviceMisfit: String, Sendable, CaseIterable {
  /// There was nothing that is good.
  case nothing = "missing"
  /// The family has no device, or the user no such device.
  case noDevice = "device-unknown"
  /// The key is kept for another device, or for another user's.
  case keyTaken = "key-taken"
  /// The key is not the one that is kept for the device.
  case otherKey = "key-mismatch"
  /// The counter is not higher than the last one.
  case counter
}
