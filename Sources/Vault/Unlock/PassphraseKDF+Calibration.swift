public import Basics
internal import SecureMemory

extension PassphraseKDF {
  /// The cost that takes about `milliseconds` on this machine, never under ``standard``: memory is doubled first, up to
  /// 1 GiB or half of what is free, then passes are added.
  public static func calibrated(milliseconds: Int) throws(Failure) -> PassphraseKDF {
    let target = Double(milliseconds)
    let limit = min(UInt64(1 << 30), (MemoryBudget.available() ?? 0) / 2) >> 10
    var time = try standard.measure()
    var kibibytes = standard.kibibytes
    while time * 2 <= target, UInt64(kibibytes) * 2 <= limit {
      kibibytes *= 2
      time *= 2
    }
    let factor = max(1, target / max(time, 0.001))
    let operations = min(Double(acceptedOperations.upperBound), Double(standard.operations) * factor)
    return PassphraseKDF(operations: UInt32(operations), kibibytes: kibibytes)
  }

  /// How many milliseconds one derivation takes.
  private func measure() throws(Failure) -> Double {
    let passphrase = try SecureBytes(publicText: "calibration")
    let start = MonotonicInstant.now()
    _ = try derive(from: passphrase, salt: [UInt8](repeating: 0, count: VaultSlot.saltSize))
    return Double(MonotonicInstant.now().nanoseconds - start.nanoseconds) / 1_000_000
  }
}
