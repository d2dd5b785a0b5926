import Foundation
import TestSupport
import Testing

/// A folder for a database that can be made to have no room, and to have some again.
final class SmallDisk {
  /// How that is done.
  enum Kind: CaseIterable {
    /// A file system of its own, which only root can make.
    case mounted
    /// A limit on how large the files of one process may grow.
    case limited
  }

  // Several times what the database's log has before it is written back: less than that would fill up by itself, and again when there
  // is room.
  private static let size = 64 << 20

  let kind: Kind
  let sandbox: Sandbox
  var path: String { sandbox("disk") }
  private var ballast: String { path + "/ballast" }

  /// The kinds that there are on this machine.
  static let kinds: [Kind] = {
    guard let disk = try? SmallDisk(.mounted) else { return [.limited] }
    return disk.isMounted ? Kind.allCases : [.limited]
  }()

  private var isMounted = false

  init(_ kind: Kind) throws {
    self.kind = kind
    sandbox = try Sandbox()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    guard kind == .mounted else { return }
    let mounted = try run(
      ["mount", "-t", "tmpfs", "-o", "size=\(SmallDisk.size),mode=0700", "mfs-authd-test", path], in: sandbox)
    isMounted = mounted.status == 0
  }

  deinit {
    // The database may be open in a process that a failed test left: it goes with that one.
    if isMounted { _ = try? run(["umount", "--lazy", path], in: sandbox) }
  }

  /// Takes all the room that is left.
  func fill(for process: pid_t) throws {
    switch kind {
    case .mounted:
      // Ends when there is no room for more.
      _ = try run(["dd", "if=/dev/zero", "of=\(ballast)", "bs=4096", "status=none"], in: sandbox)
    case .limited:
      let sizes = try FileManager.default.contentsOfDirectory(atPath: path).map { name in
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
      }
      try limit(process, String((sizes.max() ?? 0) + 65_536))
    }
  }

  /// Makes room again.
  func makeRoom(for process: pid_t) throws {
    switch kind {
    case .mounted: try FileManager.default.removeItem(atPath: ballast)
    case .limited: try limit(process, "unlimited")
    }
  }

  private func limit(_ process: pid_t, _ bytes: String) throws {
    let result = try run(["prlimit", "--pid", String(process), "--fsize=\(bytes):"], in: sandbox)
    guard result.status == 0 else { throw Daemon.Broken(description: "prlimit: \(result.errorText)") }
  }
}
