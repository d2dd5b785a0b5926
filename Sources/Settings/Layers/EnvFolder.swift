internal import Basics
internal import Glibc

/// The env files of an app's folder that no mode reads.
enum EnvFolder {
  /// Their names in the order of their bytes: `.env.*` without those that one of Expo's modes or of `modes` reads,
  /// without documentation (`.example`, `.sample`, `.template`) and without folders. Throws ``FailureCode/notFound``
  /// when there is no such folder, ``FailureCode/usage`` when it is none, and ``FailureCode/inputOutput``.
  static func unreadNames(directory: String, modes: [String]) throws(Failure) -> [String] {
    let read = Set((Layers.modes + modes).flatMap(Layers.fileNames))
    return try names(in: directory).filter { name in
      name.hasPrefix(".env.") && !read.contains(name) && !isDocumentation(name)
        && !isDirectory("\(directory)/\(name)")
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The modes that files of a folder have in their names, in the order of their bytes; none when it cannot be read.
  static func modes(directory: String) -> [String] {
    let names: [String]
    do throws(Failure) { names = try self.names(in: directory) } catch { return [] }
    let modes = names.filter { $0.hasPrefix(".env.") && !isDocumentation($0) }.map { name in
      String(name.dropFirst(5).hasSuffix(".local") ? name.dropFirst(5).dropLast(6) : name.dropFirst(5))
    }
    return Set(modes.filter { !$0.isEmpty && $0 != "local" }).sorted()
  }

  private static func isDocumentation(_ name: String) -> Bool {
    [".example", ".sample", ".template"].contains(where: name.hasSuffix)
  }

  /// A name that is not UTF-8 is passed over: no mode has one, and nothing could be said about it that leads back to it.
  private static func names(in directory: String) throws(Failure) -> [String] {
    guard let folder = unsafe opendir(directory) else {
      try Files.checkFolder(directory, hint: "give the app's folder with --dir")
      throw .system("read the folder \(OutsideText.clean(directory, limit: 300))")
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      // A name that is not UTF-8 is no env file's, and a repaired one would be another file's.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(validatingCString: $0) }
      }
      if let name { names.append(name) }
    }
    return names
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
