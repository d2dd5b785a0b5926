import BackendStore
import Basics
import Foundation
import JOSE
import TestSupport
import Testing

@testable import BackendKeys

@Suite("Opaque tokens")
struct TokenTests {
  private let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  @Test("a refresh token has 68 characters that no grammar minds, and is read back")
  func refreshToken() throws {
    let handle = try RefreshToken.newHandle()
    var seen: Set<String> = []
    for _ in 0..<500 {
      let token = try RefreshToken.make(handle: handle), text = token.text
      #expect(text.utf8.count == 68)
      #expect(text.hasPrefix("mfr_"))
      #expect(text.utf8.allSatisfy { alphabet.contains($0) })
      let again = try #require(RefreshToken(text))
      #expect(again.text == text)
      #expect(again.handle == handle)
      #expect(again.withHashedBytes { Array($0) } == token.withHashedBytes { Array($0) })
      seen.insert(text)
    }
    #expect(seen.count == 500)
    #expect(failure { _ = try RefreshToken.make(handle: [1]) } == .bug)
  }

  @Test("any other text is no refresh token")
  func malformed() throws {
    let good = try RefreshToken.make(handle: try RefreshToken.newHandle()).text
    let (short, bare) = (String(good.dropLast()), String(good.dropFirst(4)))
    let others: [String] =
      ["", "mfr_", short, good + "A", " " + short, "mfc_" + bare, "MFR_" + bare, String(repeating: "é", count: 34)]
      + ["=", "+", "/", "\n", "\0", ".", "é"].map { short + $0 }
    for bad in others { #expect(RefreshToken(bad) == nil, "\(bad)") }
    var random = SeededGenerator(1)
    for _ in 0..<2_000 {
      var bytes = Array(good.utf8)
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      let text = String(decoding: bytes, as: UTF8.self)
      // What is taken is what it gives back.
      if let token = RefreshToken(text) { #expect(token.text == text) }
    }
  }

  @Test(
    "a code, a cookie and a device code are read as what they are, and hashed as that",
    arguments: OpaqueToken.Kind.allCases)
  func opaque(_ kind: OpaqueToken.Kind) throws {
    let token = try OpaqueToken(kind), text = token.text
    #expect(text.utf8.count == 47)
    #expect(text.utf8.allSatisfy { alphabet.contains($0) })
    #expect(try #require(OpaqueToken(kind, text)).text == text)
    let hashed = token.withHashedBytes { Array($0) }
    for other in OpaqueToken.Kind.allCases where other != kind {
      #expect(OpaqueToken(other, text) == nil)
      let same = try #require(OpaqueToken(other, "\(other.prefix)" + text.dropFirst(4)))
      #expect(same.withHashedBytes { Array($0) } != hashed)
    }
    // 43 characters have two bits to spare, which must be zero: a token has one text only.
    let spare = text.dropLast() + (text.hasSuffix("A") ? "B" : "A")
    if let read = OpaqueToken(kind, String(spare)) { #expect(read.text == spare) }
    #expect(OpaqueToken(kind, text + "A") == nil)
    // 256 bits of chance: none comes twice, and each bit is now this and now that.
    let many = try (0..<500).map { _ in try OpaqueToken(kind) }
    #expect(Set(many.map(\.text)).count == 500)
    let all = many.map { $0.withHashedBytes { Array($0.suffix(32)) } }
    #expect(all.allSatisfy { $0.count == 32 })
    #expect(all.reduce([UInt8](repeating: 0, count: 32)) { zip($0, $1).map { $0 | $1 } }.allSatisfy { $0 == 255 })
    #expect(all.reduce([UInt8](repeating: 255, count: 32)) { zip($0, $1).map { $0 & $1 } }.allSatisfy { $0 == 0 })
  }

  @Test("a token shows nothing of itself when it is printed")
  func printed() throws {
    let token = try RefreshToken.make(handle: try RefreshToken.newHandle()), code = try OpaqueToken(.code)
    var text = "\(token) \(code) \(String(reflecting: token))"
    dump(token, to: &text)
    dump(code, to: &text)
    #expect(!text.contains(token.text.dropFirst(4)))
    #expect(!text.contains(code.text.dropFirst(4)))
    #expect(!text.contains(token.handle.map(String.init).joined(separator: ", ")))
    #expect(text.contains("<refresh token>"))
  }

  @Test("only who presents a token opens the successor that was sealed under it")
  func successor() throws {
    let handle = try RefreshToken.newHandle()
    let first = try RefreshToken.make(handle: handle), second = try RefreshToken.make(handle: handle)
    let sealed = try first.seal(successor: second)
    #expect(sealed.count == 72)
    #expect(try first.seal(successor: second) != sealed)
    #expect(try #require(RefreshToken(first.text)).openSuccessor(sealed)?.text == second.text)
    #expect(second.openSuccessor(sealed) == nil)
    #expect(try RefreshToken.make(handle: handle).openSuccessor(sealed) == nil)
    #expect(first.openSuccessor([]) == nil)
    #expect(first.openSuccessor(sealed + [0]) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(first.openSuccessor(changed) == nil)
    }
    // The same random bytes in another family make another key.
    let moved = try #require(RefreshToken("mfr_" + transplanted(first)))
    #expect(moved.openSuccessor(sealed) == nil)
    #expect(failure { _ = try moved.seal(successor: second) } == .bug)
  }

  private func transplanted(_ token: RefreshToken) -> String {
    let bytes = token.withHashedBytes { Array($0.dropFirst(4)) }
    return Base64URL.encode([UInt8](repeating: 1, count: 16) + bytes.dropFirst(16))
  }
}
