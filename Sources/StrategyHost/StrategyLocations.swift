public import Basics
internal import Glibc

/// Where plugins are looked for, and the program that runs them.
public struct StrategyLocations: Sendable {
  /// One folder of plugins.
  public struct Folder: Sendable, Hashable {
    /// Its path.
    public let path: String
    /// Whether it is the toolkit's own, the only one where reserved names count.
    public let isBuiltin: Bool
    /// The users who may own it and what is in it.
    public let owners: Set<UInt32>
    /// Whether the `strategies.lock` in it says what is trusted, where the user has not said otherwise.
    public let isLocked: Bool

    /// A folder.
    public init(path: String, isBuiltin: Bool, owners: Set<UInt32>, isLocked: Bool = true) {
      self.isLocked = isLocked
      self.path = path
      self.isBuiltin = isBuiltin
      self.owners = owners
    }
  }

  /// The folders in the order in which they are searched.
  public let folders: [Folder]
  /// The path of `mfs-strategy-host`, in the built-in folder.
  public let runner: String
  /// The config directory of the user whose trust counts; nil for nobody's.
  public let config: String?

  /// The path of `mfs-strategy-trial`, beside it.
  var trialRunner: String {
    runner.lastIndex(of: "/").map { runner[...$0] + "mfs-strategy-trial" } ?? "mfs-strategy-trial"
  }

  /// Folders and a runner of one's own, for tests.
  public init(folders: [Folder], runner: String, config: String? = nil) {
    self.config = config
    self.folders = folders
    self.runner = runner
  }

  /// Those of an installed toolkit: the folder of the running executable, then `data/plugins`, then
  /// `/usr/local/lib/mfsctl/plugins`. Throws ``FailureCode/bug`` when /proc does not say where the executable is.
  public static func standard(_ directories: Directories) throws(Failure) -> StrategyLocations {
    guard let executable = executablePath(), let slash = executable.lastIndex(of: "/") else {
      throw Failure(.bug, "cannot tell where the executable is: /proc/self/exe cannot be read")
    }
    let folder = String(executable[..<slash])
    var owners = trustedUsers
    // Whoever owns the program that is running decides what it does already. This lets root run a checkout of a user.
    var status = stat()
    if unsafe stat(executable, &status) == 0, status.st_uid != overflowUser { owners.insert(status.st_uid) }
    return StrategyLocations(
      folders: [
        Folder(path: folder.isEmpty ? "/" : folder, isBuiltin: true, owners: owners),
        Folder(path: directories.data + "/plugins", isBuiltin: false, owners: trustedUsers, isLocked: false),
        Folder(path: "/usr/local/lib/mfsctl/plugins", isBuiltin: false, owners: [0]),
      ], runner: folder + "/mfs-strategy-host", config: directories.config)
  }

  /// Root and the caller.
  public static var trustedUsers: Set<UInt32> { [0, geteuid()] }

  // What files of users outside a user namespace seem to belong to: nobody in particular.
  private static let overflowUser: UInt32 = 65_534

  private static func executablePath() -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return unsafe readlink("/proc/self/exe", base.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes.prefix(count), as: UTF8.self)
  }
}
