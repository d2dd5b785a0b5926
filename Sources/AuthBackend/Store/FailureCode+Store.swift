public import Basics

extension FailureCode {
  /// A database that a newer version made.
  public static let storeNewerFormat = FailureCode("store.newer-format", .newerFormat)
  /// A database that is damaged, or a file that is none of ours.
  public static let storeDamaged = FailureCode("store.damaged", .damaged)
  /// A database of an older version, opened by somebody who did not ask to bring it forward.
  public static let storeOlderFormat = FailureCode("store.older-format", .configuration)
}
