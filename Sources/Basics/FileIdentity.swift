internal import Glibc

/// Which file a path leads to, so that the same one is known again by another path: its device and number.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let number: UInt

  /// What a path leads to, links followed; nil when that cannot be told.
  public init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = UInt(truncatingIfNeeded: status.st_dev)
    number = UInt(truncatingIfNeeded: status.st_ino)
  }
}
