import Basics
import CLinux
import Glibc
import SecureMemory
import Testing

@Suite struct SecureBytesTests {
  @Test func holdsWhatItIsGiven() throws {
    for text in ["", "a", "pässword", String(repeating: "x", count: 70_000)] {
      let secret = try SecureBytes(publicText: text)
      let (count, read) = (secret.count, secret.publicText())
      #expect(count == text.utf8.count && read == text)
      let isSame = try secret.copy().equals(secret)
      #expect(isSame)
    }
  }

  /// A sparse file costs nothing, and its size may be the largest there is.
  @Test func aFileOfTheLargestSizeIsTooLongForASecret() throws {
    let number = unsafe clinux_memfd_create("largest", 0)
    let file = FileDescriptor(owning: number)
    try #require(ftruncate(file.raw, .max) == 0)
    #expect(throws: Failure(.usage, "")) {
      _ = try SecretInput.read(descriptor: number, limit: 10_000, what: "the value")
    }
  }

  @Test func comparesAndCuts() throws {
    let a = try SecureBytes(publicText: "secret"), b = try SecureBytes(publicText: "secreT")
    let short = try a.prefix(3)
    let differ = !a.equals(b) && !a.equals(short)
    #expect(differ)
    let text = short.publicText()
    #expect(text == "sec")
    let (whole, none) = (try a.prefix(100).equals(a), try a.prefix(-1).count)
    #expect(whole && none == 0)
  }

  @Test func randomIsNotRepeated() throws {
    let a = try SecureBytes.random(count: 32), b = try SecureBytes.random(count: 32)
    let differ = !a.equals(b)
    #expect(differ)
  }

  @Test func refusesImpossibleSizes() {
    #expect(throws: Failure(.outOfMemory, "")) { _ = try SecureBytes(count: -1) }
    #expect(throws: Failure(.outOfMemory, "")) { _ = try SecureBytes(count: .max) }
  }

  @Test func printingABoxShowsNoByte() throws {
    let box = SecureBox(try SecureBytes(publicText: "canary-7f3a"))
    var dumped = ""
    dump(box, to: &dumped)
    for text in ["\(box)", String(reflecting: box), dumped, "\([box])", "\(Optional(box) as Any)"] {
      #expect(!text.contains("canary"))
      #expect(text.contains("11 bytes"))
    }
  }
}
