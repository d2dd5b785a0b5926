internal import Basics

/// A plugin as it stands in a folder, looked at from every side: its files copied and sealed, its manifest read, and all
/// that speaks against running it.
struct StrategyInspection {
  let name: StrategyName
  let folder: StrategyLocations.Folder
  /// The folder without links.
  let path: String
  /// The sealed copy of the library; nil when it could not be made.
  private(set) var library: SealedImage?
  private(set) var manifest: StrategyManifest?
  /// Each reason not to run it; empty when it may run.
  private(set) var problems: [String]
  /// Whether somebody else owns, or could change, a part of it.
  private(set) var isExposed = false
  /// Whether a file of it is not the one that was pinned.
  private(set) var isUnpinned = false

  /// Inspects a plugin. Throws ``FailureCode/notFound`` when there is no library or no folder.
  init(_ name: StrategyName, in folder: StrategyLocations.Folder) throws(Failure) {
    let open = try TrustedFolder(folder.path, owners: folder.owners)
    self.name = name
    self.folder = folder
    path = open.path
    problems = open.problems
    isExposed = !problems.isEmpty
    if !folder.isBuiltin, let likeness = name.likeness { problems.append("the name '\(name)' \(likeness)") }
    let lock = readLock(open)
    try readLibrary(open, lock)
    readManifest(open, lock)
  }

  private mutating func readLock(_ open: borrowing TrustedFolder) -> StrategyLock {
    do throws(Failure) {
      let file = try open.open(StrategyLock.fileName)
      expose(try open.problems(of: file, StrategyLock.fileName, limit: StrategyLimits.lock))
      return try StrategyLock(parsing: try file.readToEnd(limit: StrategyLimits.lock) ?? [])
    } catch {
      if error.code != .notFound { problems.append(error.message) }
      return .empty
    }
  }

  private mutating func readLibrary(_ open: borrowing TrustedFolder, _ lock: StrategyLock) throws(Failure) {
    do throws(Failure) {
      let file = try open.open(name.library)
      expose(try open.problems(of: file, name.library, limit: StrategyLimits.library))
      let image = try SealedImage(copying: file, name: name.library, limit: StrategyLimits.library)
      let owners = folder.owners
      problems += unsafe image.withBytes { bytes in
        unsafe ELFPolicy.problems(of: bytes, name.library) { StrategyInspection.isTrusted($0, owners) }
      }
      compare(image.digest, lock.digest(of: name.library), name.library)
      library = image
    } catch {
      if error.code == .notFound { throw error }
      problems.append(error.message)
    }
  }

  private mutating func readManifest(_ open: borrowing TrustedFolder, _ lock: StrategyLock) {
    do throws(Failure) {
      let file = try open.open(name.manifest)
      expose(try open.problems(of: file, name.manifest, limit: StrategyLimits.manifest))
      guard let bytes = try file.readToEnd(limit: StrategyLimits.manifest) else { return }
      compare(FileDigest(of: bytes), lock.digest(of: name.manifest), name.manifest)
      manifest = try StrategyManifest(parsing: bytes, of: name)
    } catch {
      problems.append(error.code == .notFound ? "its manifest \(name.manifest) is missing" : error.description)
    }
  }

  private mutating func expose(_ found: [String]) {
    problems += found
    if !found.isEmpty { isExposed = true }
  }

  private mutating func compare(_ digest: FileDigest, _ pinned: FileDigest?, _ file: String) {
    guard let pinned else {
      isUnpinned = true
      problems.append("\(file) is not in \(StrategyLock.fileName), so nobody has said that it can be trusted")
      return
    }
    if !pinned.equals(digest) {
      isUnpinned = true
      problems.append("\(file) is not the file that \(StrategyLock.fileName) names: it changed")
    }
  }

  private static func isTrusted(_ path: String, _ owners: Set<UInt32>) -> Bool {
    do throws(Failure) { return try TrustedFolder(path, owners: owners).problems.isEmpty } catch {
      // Nothing is found in a folder that is not there, as on a machine without the toolchain. Whoever could make it owns a
      // parent folder, which is looked at instead.
      guard error.code == .notFound, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return false }
      return isTrusted(String(path[..<slash]), owners)
    }
  }
}
