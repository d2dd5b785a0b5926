import Basics
import Foundation
import Testing

@Suite struct ReplaceTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "mfsctl-replace-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func makesAndReplacesAFile() throws {
    defer { cleanUp() }
    try Files.replace(folder + "/a", with: [1, 2])
    #expect(try Files.read(folder + "/a", limit: 10) == [1, 2])
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder + "/a")
    try Files.replace(folder + "/a", with: [])
    #expect(try Files.read(folder + "/a", limit: 10) == [])
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "/a")[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try names() == ["a"])
  }

  @Test func replacesALinkAndNotItsTarget() throws {
    defer { cleanUp() }
    try Files.replace(folder + "/target", with: [1])
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/target")
    try Files.replace(folder + "/link", with: [2])
    #expect(try Files.read(folder + "/target", limit: 10) == [1])
    #expect(try Files.read(folder + "/link", limit: 10) == [2])
  }

  @Test func failsWithoutATrace() throws {
    defer { cleanUp() }
    try FileManager.default.createDirectory(atPath: folder + "/d", withIntermediateDirectories: true)
    #expect(throws: Failure(.usage, "")) { try Files.replace(folder + "/d", with: [1]) }
    #expect(throws: Failure(.notFound, "")) { try Files.replace(folder + "/none/a", with: [1]) }
    #expect(try names() == ["d"])
    #expect(throws: Failure(.inputOutput, "")) { try Files.replace("/sys/mfsctl", with: [1]) }
  }
}
