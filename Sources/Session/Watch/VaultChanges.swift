internal import Basics
internal import Glibc
public import Vault

/// Notices that a vault may have changed.
public protocol VaultChanges: AnyObject {
  /// A descriptor that can be read once something may have changed; nil when only looking tells.
  var descriptor: Int32? { get }
  /// Whether the vault may have changed since the last call.
  func haveCome() -> Bool
}

/// Changes of a vault that is a file, noticed at once in its folder. A folder that is not there is looked for every second.
public final class VaultFileChanges: VaultChanges {
  private let folder: String
  private let file: String
  private var watch: FolderWatch?
  private var watched: FileIdentity?
  private var seen: [Int]?

  /// The changes of the file that a request names.
  public init(_ request: VaultRequest) {
    folder = request.vaultDirectory
    file = "\(request.vaultDirectory)/\(request.fileName)"
    watched = FileIdentity(path: folder)
    watch = FolderWatch(folder)
    seen = VaultFileChanges.state(of: file)
  }

  /// The folder's watch.
  public var descriptor: Int32? { watch?.descriptor }

  /// Whether another file stands there, or none.
  public func haveCome() -> Bool {
    watch?.take()
    let current = FileIdentity(path: folder)
    // A folder that was removed and made anew needs another watch; it is set before the file is looked at.
    if watch == nil || current != watched { (watched, watch) = (current, FolderWatch(folder)) }
    return isOther()
  }

  private func isOther() -> Bool {
    let current = VaultFileChanges.state(of: file)
    defer { seen = current }
    return current != seen
  }

  private static func state(of path: String) -> [Int]? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return [
      Int(truncatingIfNeeded: status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
  }
}

/// Changes of a vault that tells its generation when it is asked, as the Secret Service does: to be asked every second.
public final class VaultGenerationChanges: VaultChanges {
  private let store: any VaultStore
  private var seen: VaultStatus?

  /// The changes of a place.
  public init(_ store: any VaultStore) {
    self.store = store
    seen = try? store.status()
  }

  /// None.
  public var descriptor: Int32? { nil }

  /// Whether the generation is another one, or cannot be told.
  public func haveCome() -> Bool {
    let current = try? store.status()
    defer { seen = current }
    return current == nil || current != seen
  }
}
