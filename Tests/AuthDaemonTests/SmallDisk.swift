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

  let kind: Kind
  let sandbox: Sandbox
  var path: String { sandbox("disk") }
  var database: String { path + "/auth.db" }
  private var ballast: String { path + "/ballast" }

  /// The kinds that there are on this machine.
  static let kinds: [Kind] = {
    guard let disk = try? SmallDisk(.mounted) else { return [.limited] }
    return disk.isMounted ? Kind.allCases : [.limited]
  }()

  private var isMounted = false

  /// `size` in bytes is what there is room for when it is mounted; 64 MiB are several times what the database's log has before it is
  /// written back.
  init(_ kind: Kind, size: Int = 64 << 20) throws {
    self.kind = kind
    sandbox = try Sandbox()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    guard kind == .mounted else { return }
    let mounted = try run(
      ["mount", "-t", "tmpfs", "-o", "size=\(size),mode=0700", "mfs-authd-test", path], in: sandbox)
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
    // The log is longer, or will be.
    case .limited: try limit(process, String(try databaseSize))
    }
  }

  /// Makes room again: for so many bytes, or all of it.
  func makeRoom(_ bytes: Int? = nil, for process: pid_t) throws {
    switch (kind, bytes) {
    case (.mounted, nil): try FileManager.default.removeItem(atPath: ballast)
    case (.mounted, let bytes?):
      let result = try run(["truncate", "--size=-\(bytes)", ballast], in: sandbox)
      guard result.status == 0 else { throw Daemon.Broken(description: "truncate: \(result.errorText)") }
    case (.limited, nil): try limit(process, "unlimited")
    case (.limited, let bytes?): try limit(process, String(databaseSize + bytes))
    }
  }

  private var databaseSize: Int {
    get throws { try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int ?? 0 }
  }

  private func limit(_ process: pid_t, _ bytes: String) throws {
    let result = try run(["prlimit", "--pid", String(process), "--fsize=\(bytes):"], in: sandbox)
    guard result.status == 0 else { throw Daemon.Broken(description: "prlimit: \(result.errorText)") }
  }
}
