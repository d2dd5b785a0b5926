public import Basics
internal import Glibc
internal import SecureMemory

extension PassphraseKDF {
  /// The cost that takes about `milliseconds` on this machine, never under ``standard``: memory is doubled first, up to
  /// 1 GiB or half of what is free, then passes are added.
  public static func calibrated(milliseconds: Int) throws(Failure) -> PassphraseKDF {
    calibrated(milliseconds: milliseconds, standardTime: try standard.measure(), free: MemoryBudget.available() ?? 0)
  }

  /// The same where ``standard`` takes `standardTime` milliseconds, and `free` bytes of memory can be had.
  static func calibrated(milliseconds: Int, standardTime: Double, free: UInt64) -> PassphraseKDF {
    let target = Double(milliseconds)
    let limit = min(UInt64(1 << 30), free / 2) >> 10
    var time = standardTime
    var kibibytes = standard.kibibytes
    while time * 2 <= target, UInt64(kibibytes) * 2 <= limit {
      kibibytes *= 2
      time *= 2
    }
    let factor = max(1, target / max(time, 0.001))
    let operations = min(Double(acceptedOperations.upperBound), Double(standard.operations) * factor)
    return PassphraseKDF(operations: UInt32(operations), kibibytes: kibibytes)
  }

  /// How many milliseconds of the processor one derivation takes, whatever else the machine does meanwhile: a busy moment
  /// must not make a weak vault.
  private func measure() throws(Failure) -> Double {
    let passphrase = try SecureBytes(publicText: "calibration")
    let start = processorNanoseconds()
    _ = try derive(from: passphrase, salt: [UInt8](repeating: 0, count: VaultSlot.saltSize))
    return Double(processorNanoseconds() - start) / 1_000_000
  }
}

private func processorNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
