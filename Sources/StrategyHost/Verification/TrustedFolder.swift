internal import Basics
internal import Glibc

/// An open folder, and what is wrong with who could change it. It is opened one part of the path at a time, each checked
/// on its open descriptor, so that what was checked is what is used.
struct TrustedFolder: ~Copyable {
  /// The path without links.
  let path: String
  /// Why it cannot be trusted; empty when it can.
  let problems: [String]
  private let descriptor: FileDescriptor
  private let owners: Set<UInt32>

  /// Opens a folder. Throws ``FailureCode/notFound`` when there is none, ``FailureCode/inputOutput`` when it cannot be
  /// opened.
  init(_ path: String, owners: Set<UInt32>) throws(Failure) {
    let real = try TrustedFolder.realPath(path)
    let flags = pathOnly | O_DIRECTORY | O_NOFOLLOW
    var current = try FileDescriptor.open("/", flags: flags)
    var problems = TrustedFolder.check(try current.status(), "/", owners, isLast: real == "/")
    var walked = ""
    let parts = real.split(separator: "/")
    for (index, part) in parts.enumerated() {
      let next = try current.open(at: String(part), flags: flags)
      current = next
      walked += "/" + part
      problems += TrustedFolder.check(try current.status(), walked, owners, isLast: index == parts.count - 1)
    }
    self.path = real
    self.problems = problems
    self.owners = owners
    descriptor = current
  }

  /// Opens a file in the folder for reading, links not followed. Throws what opening throws.
  borrowing func open(_ name: String) throws(Failure) -> FileDescriptor {
    try descriptor.open(at: name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  }

  /// Why an open file in it cannot be trusted; empty when it can.
  borrowing func problems(of file: borrowing FileDescriptor, _ name: String, limit: Int) throws(Failure) -> [String] {
    let status = try file.status()
    var found: [String] = []
    if status.st_mode & S_IFMT != S_IFREG { return ["\(name) is not a regular file"] }
    found += TrustedFolder.ownership(status, name, owners)
    if status.st_mode & 0o022 != 0 { found.append("\(name) can be changed by others (\(octal(status.st_mode)))") }
    if status.st_size > limit { found.append("\(name) is larger than \(limit) bytes") }
    return found
  }

  /// The names in the folder, in order; at most 4,096 of them.
  borrowing func names() throws(Failure) -> [String] {
    let readable = try descriptor.open(at: ".", flags: O_RDONLY | O_DIRECTORY)
    let number = readable.release()
    guard let listing = unsafe fdopendir(number) else {
      close(number)
      throw .system("list \(OutsideText.clean(path, limit: 300))")
    }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while names.count < 4_096, let entry = unsafe readdir(listing) {
      // A name that is not UTF-8 is no plugin's, and a repaired one would be another file's.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(validatingCString: $0) }
      }
      if let name { names.append(name) }
    }
    return names.sorted()
  }

  private static func check(_ status: stat, _ path: String, _ owners: Set<UInt32>, isLast: Bool) -> [String] {
    let shown = "the folder " + OutsideText.clean(path, limit: 300)
    var found = ownership(status, shown, owners)
    // In a sticky folder such as /tmp nobody can replace what another user put there; that is enough for a parent.
    let isSticky = status.st_mode & S_ISVTX != 0 && !isLast
    if status.st_mode & 0o022 != 0, !isSticky {
      found.append("\(shown) can be changed by others (\(octal(status.st_mode)))")
    }
    return found
  }

  private static func ownership(_ status: stat, _ shown: String, _ owners: Set<UInt32>) -> [String] {
    owners.contains(status.st_uid) ? [] : ["\(shown) belongs to user \(status.st_uid), not to root or you"]
  }

  private static func realPath(_ path: String) throws(Failure) -> String {
    guard let resolved = unsafe realpath(path, nil) else {
      let failure = Failure.system("open the folder \(OutsideText.clean(path, limit: 300))")
      throw Files.exists(path) ? failure : Failure(.notFound, failure.message)
    }
    defer { unsafe free(resolved) }
    guard let text = unsafe String(validatingCString: resolved) else {
      throw Failure(
        .configuration, "the folder \(OutsideText.clean(path, limit: 300)) leads to a path that is not valid UTF-8",
        hint: "keep plugins in a folder whose path is")
    }
    return text
  }
}

// O_PATH of linux/fcntl.h, which the C library's module leaves out.
private let pathOnly: Int32 = 0o10000000

/// The permission bits as chmod(1) takes them.
private func octal(_ mode: mode_t) -> String { "mode " + String(mode & 0o7777, radix: 8) }
