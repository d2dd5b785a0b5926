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
  /// What the user has said of a plugin of this name; nil when nothing, or when it cannot be read.
  private(set) var pin: StrategyPin?
  /// The publisher's signature beside it; nil when it was not looked for or there is none.
  private(set) var published: PublishedVersion?
  private(set) var manifestDigest: FileDigest?
  /// Who says that it can be trusted, as long as there are no problems.
  private(set) var authority = StrategyCatalogue.Authority.lock

  /// Inspects a plugin. `config` is the config directory of the user whose trust counts; nil for nobody's. The pin of a user
  /// decides where there is one, else the lock file of a folder that has one. `memory` is where the library is copied to, new
  /// memory when it is nil. Throws ``FailureCode/notFound`` when there is no library or no folder.
  init(
    _ name: StrategyName, in folder: StrategyLocations.Folder, config: String?, into memory: PluginMemory? = nil
  ) throws(Failure) {
    let open = try TrustedFolder(folder.path, owners: folder.owners)
    self.name = name
    self.folder = folder
    path = open.path
    problems = open.problems
    isExposed = !problems.isEmpty
    if !folder.isBuiltin, let likeness = name.likeness { problems.append("the name '\(name)' \(likeness)") }
    let isTrustKnown = folder.isBuiltin || readTrust(config)
    let lock = isTrustKnown && pin == nil && folder.isLocked ? readLock(open) : nil
    try readLibrary(open, lock, into: memory)
    readManifest(open, lock)
    if isTrustKnown, lock == nil { checkPin(open) }
  }

  // False when the file is there and cannot be believed: then nothing of someone else's is trusted.
  private mutating func readTrust(_ config: String?) -> Bool {
    guard let config else { return true }
    do throws(Failure) {
      pin = try StrategyTrust(folder: config)[name]
      return true
    } catch {
      problems.append(error.description)
      return false
    }
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

  private mutating func readLibrary(
    _ open: borrowing TrustedFolder, _ lock: StrategyLock?, into memory: PluginMemory?
  ) throws(Failure) {
    do throws(Failure) {
      let file = try open.open(name.library)
      expose(try open.problems(of: file, name.library, limit: StrategyLimits.library))
      let image = try SealedImage(
        copying: file, name: name.library, limit: StrategyLimits.library, into: memory)
      let owners = folder.owners
      problems += unsafe image.withBytes { bytes in
        unsafe ELFPolicy.problems(of: bytes, name.library) { StrategyInspection.isTrusted($0, owners) }
      }
      if let lock { compare(image.digest, lock.digest(of: name.library), name.library) }
      library = image
    } catch {
      if error.code == .notFound { throw error }
      problems.append(error.message)
    }
  }

  private mutating func readManifest(_ open: borrowing TrustedFolder, _ lock: StrategyLock?) {
    do throws(Failure) {
      let file = try open.open(name.manifest)
      expose(try open.problems(of: file, name.manifest, limit: StrategyLimits.manifest))
      guard let bytes = try file.readToEnd(limit: StrategyLimits.manifest) else { return }
      let digest = FileDigest(of: bytes)
      manifestDigest = digest
      if let lock { compare(digest, lock.digest(of: name.manifest), name.manifest) }
      manifest = try StrategyManifest(parsing: bytes, of: name)
    } catch {
      problems.append(error.code == .notFound ? "its manifest \(name.manifest) is missing" : error.description)
    }
  }

  /// Reads the signature beside the library; nil when there is none. Throws ``FailureCode/pluginRefused``.
  mutating func readSignature(_ open: borrowing TrustedFolder) throws(Failure) -> PublishedVersion? {
    if let published { return published }
    do throws(Failure) {
      let file = try open.open(name.signature)
      expose(try open.problems(of: file, name.signature, limit: MinisignFormat.fileLimit))
      let bytes = try file.readToEnd(limit: MinisignFormat.fileLimit) ?? []
      published = try PublishedVersion(parsing: bytes, of: name)
    } catch {
      if error.code != .notFound { throw error }
    }
    return published
  }

  // What a user trusts is exactly what they looked at, or what the publisher whose key they pinned has signed since.
  private mutating func checkPin(_ open: borrowing TrustedFolder) {
    guard let pin else {
      isUnpinned = true
      problems.append(StrategyInspection.unpinned)
      return
    }
    authority = .user
    guard let library, let manifest, let manifestDigest else { return }
    let changed = [
      library.digest.equals(pin.library) ? nil : name.library,
      manifestDigest.equals(pin.manifest) ? nil : name.manifest,
    ].compactMap { $0 }
    if !changed.isEmpty {
      do throws(Failure) { try checkSigned(open, library, manifestDigest, pin, changed) } catch {
        isUnpinned = true
        problems.append(error.message)
      }
    }
    let more = manifest.scope.filter { !pin.grants.contains($0) }
    if !more.isEmpty {
      isUnpinned = true
      problems.append("it asks for what you did not grant: \(more.joined(separator: ", "))")
    }
  }

  private mutating func checkSigned(
    _ open: borrowing TrustedFolder, _ library: SealedImage, _ manifest: FileDigest, _ pin: StrategyPin,
    _ changed: [String]
  ) throws(Failure) {
    let what =
      changed.count == 2 ? "\(changed[0]) and \(changed[1]) are not the files" : "\(changed[0]) is not the file"
    guard let key = pin.publicKey else {
      throw Failure(.pluginRefused, "\(what) that you trusted: \(changed.count == 2 ? "they" : "it") changed")
    }
    guard let published = try readSignature(open) else {
      throw Failure(
        .pluginRefused, "\(what) that you trusted, and its publisher's signature \(name.signature) is missing")
    }
    try published.check(library, manifest, by: key)
    // An old version with a fault that everybody knows was signed, too.
    if let last = pin.signedAt, published.signedAt ?? .min < last {
      throw Failure(.pluginRefused, "it was signed before the version that you trusted: it is an older one")
    }
    authority = .publisher(key.idText)
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
