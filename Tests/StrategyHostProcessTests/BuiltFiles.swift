internal import Basics
internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization
internal import TestSupport

/// Where the programs and plugins under test are, and plugins compiled from C for a test.
enum BuiltFiles {
  /// The folder that the package's products are built in.
  static let folder = Programs.buildFolder
  /// The package's root.
  static let root = Programs.checkout

  /// The folder of the Swift runtime, as this process has loaded it.
  static let swiftRuntime: String = {
    let maps = String(decoding: (try? Files.read("/proc/self/maps", limit: 4 << 20)) ?? [], as: UTF8.self)
    let core = maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }
      .first { $0.hasSuffix("/libswiftCore.so") }
    return core.map { String($0.dropLast("/libswiftCore.so".count)) } ?? "."
  }()

  /// The program under test, in a copy that every user may run.
  static let host: String = shared("mfs-strategy-host")
  static let demo: String = "\(folder)/libmfs-strategy-demo.so"
  static let basic: String = "\(folder)/libmfs-strategy-basic.so"

  /// A temporary folder for this run of the tests, which goes with the process.
  static let scratch: String = {
    // A child that is gone must not take the tests with it; every run comes by here.
    signal(SIGPIPE, SIG_IGN)
    var template = Array("/tmp/mfs-strategy-host-tests-XXXXXX".utf8CString)
    unsafe template.withUnsafeMutableBufferPointer {
      if let base = $0.baseAddress { _ = unsafe mkdtemp(base) }
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    unsafe chmod(path, 0o755)
    // The child removes the folder when the last writer of the pipe, this process, is gone.
    removeAtExit(path)
    return path
  }()

  private static func shared(_ name: String) -> String {
    let target = "\(scratch)/\(name)"
    do {
      try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: target)
      unsafe chmod(target, 0o755)
    } catch { fatalError("cannot copy \(name): \(error)") }
    return target
  }

  private static let memories = Mutex<[String: Int32]>([:])

  /// A new open description of the file's bytes in memory, sealed or not. The bytes are read once for all runs.
  static func memory(_ path: String, isSealed: Bool) throws -> FileDescriptor {
    let kept = try memories.withLock { memories in
      let key = "\(path) \(isSealed)"
      if let known = memories[key] { return known }
      let made = FileDescriptor(owning: unsafe clinux_memfd_create("plugin", 3))
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      try unsafe bytes.withUnsafeBytes { try unsafe made.write($0) }
      if isSealed, clinux_add_seals(made.raw, 0xF) != 0 { throw Failure.system("seal memory") }
      let number = made.release()
      memories[key] = number
      return number
    }
    return try FileDescriptor.open("/proc/self/fd/\(kept)", flags: O_RDONLY)
  }

  private static let compiled = Mutex<[String: String]>([:])

  /// Compiles a file of Tests/Plugins with the C compiler. The same arguments give the same file.
  static func compile(_ source: String, _ arguments: [String] = [], program: Bool = false) throws -> String {
    try compiled.withLock { compiled in
      let key = ([source] + arguments).joined(separator: " ")
      if let done = compiled[key] { return done }
      let target = "\(scratch)/c\(compiled.count)"
      var command = ["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "\(root)/Tests/Plugins/\(source)"]
      command += ["-o", target, "-I\(root)/Sources/StrategyPlugins/ABI/include"]
      if !program { command += ["-shared", "-fPIC"] }
      let status = try Spawned(command + arguments, environment: ["PATH=/usr/bin:/bin"], descriptors: []).wait()
      guard status == 0 else {
        throw Failure(.notFound, "gcc failed for \(key) (status \(status))", hint: "apt-get install gcc libc6-dev")
      }
      compiled[key] = target
      return target
    }
  }

  private static func removeAtExit(_ path: String) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    _ = try? Spawned(
      ["sh", "-c", "trap '' INT TERM HUP; read unused; rm -rf \"$1\"", "sh", path], environment: ["PATH=/usr/bin:/bin"],
      descriptors: [(ends[0], 0)])
    close(ends[0])
  }
}
