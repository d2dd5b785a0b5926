internal import CLinux
internal import Glibc

/// Notices that something in a folder has changed (inotify(7)). On a file system of another machine it notices what is done
/// from here alone.
public final class FolderWatch {
  private let file: FileDescriptor

  /// Can be read once something has changed.
  public var descriptor: Int32 { file.raw }

  /// Watches a folder from now on; nil when it is not there or the kernel watches no more for this user.
  public init?(_ path: String) {
    let number = unsafe clinux_watch_folder(path)
    guard number >= 0 else { return nil }
    file = FileDescriptor(owning: number)
  }

  /// Takes what was noticed; says whether there was anything. Look at the folder after this, not before.
  @discardableResult
  public func take() -> Bool {
    var records = [UInt8](repeating: 0, count: 4_096)
    var hasAny = false
    while unsafe read(file.raw, &records, records.count) > 0 { hasAny = true }
    return hasAny
  }
}
