internal import Basics

/// The numbers of docs/VAULT-FORMAT.md. All sizes are in bytes, all integers in files are little-endian.
enum VaultFormat {
  /// `MFSVAULT`.
  static let magic: [UInt8] = [0x4D, 0x46, 0x53, 0x56, 0x41, 0x55, 0x4C, 0x54]
  /// The one version there is.
  static let version: UInt16 = 1
  /// Everything before the slots.
  static let fixedHeaderSize = 104
  static let vaultIDSize = 16
  static let commitmentSize = 32

  static let maximumSlots = 32
  static let maximumSlotSize = 1_900
  static let maximumLabelSize = 64
  static let maximumHeaderSize = 65_536
  static let maximumFileSize = 64 << 20
  static let maximumEntries = 4_096
  static let maximumValueSize = 16 << 20

  /// The size that a body of `size` bytes is padded to: a multiple of 256, above 2 KiB of an eighth of the next lower
  /// power of two, so that a file's size tells little of what is in it.
  static func paddedSize(_ size: Int) -> Int {
    let highestBit = Int.bitWidth - 1 - max(size, 1).leadingZeroBitCount
    let block = max(256, (1 << highestBit) / 8)
    return (size + block - 1) / block * block
  }

  static func damaged(_ what: String) -> Failure {
    Failure(
      .vaultDamaged, "the vault file is damaged: \(what)",
      hint: "nothing was changed; restore the file from a copy, or 'mfsctl vault logout --wipe' removes it")
  }
}
