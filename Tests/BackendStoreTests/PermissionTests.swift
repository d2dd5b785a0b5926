import BackendStore
import Basics
import Foundation
import Testing

@Suite struct PermissionTests {
  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("The database and what stands beside it are this user's alone, and so is the folder")
  func everythingIsPrivate() throws {
    let place = try Place()
    let old = umask(0)
    defer { umask(old) }
    let store = try SQLiteStore(path: place.path)
    try store.probe()
    for name in ["", "-wal", "-shm", ".lock"] { #expect(try mode(place.path + name) == 0o600, "\(name)") }
    #expect(try mode(place.sandbox("store-0")) == 0o700)
  }

  @Test("A folder of another user's is refused, and called that")
  func anotherUsersFolderIsRefused() throws {
    let place = try Place()
    var path = "/usr/share/auth.db"
    if geteuid() == 0 {
      let folder = place.sandbox("others")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      chmod(folder, 0o700)
      chown(folder, 65_534, 65_534)
      path = folder + "/auth.db"
    }
    do {
      _ = try SQLiteStore(path: path)
      Issue.record("it was opened")
    } catch {
      #expect(error.code == .permissions)
      #expect(error.message.contains("in a folder of another user's") && !error.message.contains("others can change"))
    }
  }

  @Test("A database or a lock file that others can read is refused", arguments: ["", ".lock"])
  func readableFilesAreRefused(name: String) throws {
    let place = try Place()
    try place.reset()
    for mode: mode_t in [0o640, 0o604, 0o620, 0o666] {
      chmod(place.path + name, mode)
      #expect(throws: Failure(.permissions, "")) { try SQLiteStore(path: place.path) }
    }
    chmod(place.path + name, 0o600)
    try SQLiteStore(path: place.path).probe()
  }

  @Test("A folder that others can change is refused")
  func foldersOfOthersAreRefused() throws {
    let place = try Place()
    try place.reset()
    let folder = (place.path as NSString).deletingLastPathComponent
    chmod(folder, 0o770)
    #expect(throws: Failure(.permissions, "")) { try SQLiteStore(path: place.path) }
    chmod(folder, 0o700)
    try SQLiteStore(path: place.path).probe()
  }

  /// SQLite keeps a log beside each name: what one writes, the other overwrites.
  @Test("A database that has another name is refused, by either, and copied by neither")
  func hardLinksAreRefused() throws {
    let place = try Place()
    try place.reset()
    let other = place.sandbox("other.db")
    #expect(link(place.path, other) == 0)
    for path in [place.path, other] {
      #expect(throws: Failure(.permissions, "")) { try SQLiteStore(path: path) }
      #expect(throws: Failure(.permissions, "")) { try SQLiteStore.copy(path, to: place.sandbox("copy.db")) }
    }
    unlink(other)
    try SQLiteStore(path: place.path).probe()
  }

  @Test("What is no plain file is refused: a link, a folder, a FIFO")
  func otherKindsAreRefused() throws {
    let place = try Place()
    try place.reset()
    let real = place.sandbox("elsewhere")
    try FileManager.default.moveItem(atPath: place.path, toPath: real)
    #expect(symlink(real, place.path) == 0)
    #expect(throws: Failure(.permissions, "")) { try SQLiteStore(path: place.path) }
    unlink(place.path)
    mkdir(place.path, 0o700)
    #expect(throws: Failure(.permissions, "")) { try SQLiteStore(path: place.path) }
    rmdir(place.path)
    mkfifo(place.path, 0o600)
    #expect(throws: Failure(.permissions, "")) { try SQLiteStore(path: place.path) }
  }
}
