import Basics
import Foundation
import SecureMemory
import Testing

@testable import Vault

@Suite("One secret sealed as a vault of its own")
struct SealedSecretTests {
  private func unlock(_ byte: UInt8) throws -> UnlockSecret {
    let key = try SecureBytes(count: UnlockSecret.keyFileSize)
    key.withMutableBytes { $0.copyBytes(from: [UInt8](repeating: byte, count: UnlockSecret.keyFileSize)) }
    return .keyFile(SecureBox(key))
  }

  private func code(_ body: () throws -> Void) -> FailureCode? {
    do { try body() } catch let error as Failure { return error.code } catch { return .bug }
    return nil
  }

  @Test("it opens under a key file and under a passphrase, for its own purpose alone")
  func opens() throws {
    let passphrase = UnlockSecret.passphrase(SecureBox(try SecureBytes(publicText: "correct horse")))
    for unlock in [try unlock(1), passphrase] {
      for size in [0, 1, 32, 5_000] {
        let secret = try SecureBytes.random(count: size)
        let sealed = try SealedSecret.seal(secret, purpose: try KeyName("a.b"), with: unlock)
        let opened = try SealedSecret.open(sealed, purpose: try KeyName("a.b"), with: unlock)
        let isSame = opened.equals(secret)
        #expect(isSame)
        #expect(code { _ = try SealedSecret.open(sealed, purpose: try KeyName("a.c"), with: unlock) } == .vaultTampered)
        #expect(
          code { _ = try SealedSecret.open(sealed, purpose: try KeyName("a.b"), with: try self.unlock(2)) }
            == .vaultWrongKey)
      }
    }
  }

  @Test("its bytes are a vault of the documented format, with one slot and one entry")
  func format() throws {
    let secret = try SecureBytes(publicText: "the secret"), time = Timestamp(seconds: 1_800_000_000)
    let sealed = try SealedSecret.seal(secret, purpose: try KeyName("pepper"), with: try unlock(1), at: time)
    let vault = try SealedVault(try ByteBlock(sealed))
    #expect(vault.header.slots.map(\.typeName) == ["keyfile"])
    #expect(vault.header.generation == 1)
    let contents = try vault.contents(try vault.masterKey(with: try unlock(1)))
    #expect(contents.names.map(\.text) == ["pepper"])
    let text = contents[try KeyName("pepper")]?.value.publicText()
    #expect(text == "the secret")
    #expect(contents[try KeyName("pepper")]?.updatedAt == time)
    #expect(Data(sealed).range(of: Data("the secret".utf8)) == nil)
    #expect(try SealedSecret.seal(secret, purpose: try KeyName("pepper"), with: try unlock(1), at: time) != sealed)
  }

  @Test("no changed bit, and no part of it, opens")
  func changed() throws {
    let secret = try SecureBytes.random(count: 32), unlock = try unlock(1), name = try KeyName("pepper")
    let sealed = try SealedSecret.seal(secret, purpose: name, with: unlock)
    let accepted: Set<FailureCode> = [.vaultWrongKey, .vaultDamaged, .vaultTampered, .vaultNewerFormat]
    for index in sealed.indices {
      var bytes = sealed
      bytes[index] ^= 1 << UInt8(index % 8)
      let seen = code { _ = try SealedSecret.open(bytes, purpose: name, with: unlock) }
      #expect(seen.map { accepted.contains($0) } ?? false, "byte \(index): \(seen?.name ?? "opened")")
      #expect(code { _ = try SealedSecret.open(Array(sealed[..<index]), purpose: name, with: unlock) } == .vaultDamaged)
    }
    #expect(code { _ = try SealedSecret.open(sealed + [0], purpose: name, with: unlock) } == .vaultDamaged)
  }

  @Test("no message of its failures tells to remove a profile's vault")
  func messages() throws {
    let secret = try SecureBytes.random(count: 32), name = try KeyName("pepper")
    var sealed = try SealedSecret.seal(secret, purpose: name, with: try unlock(1))
    var texts: [String] = []
    func note(_ unlock: UnlockSecret) {
      do throws(Failure) { _ = try SealedSecret.open(sealed, purpose: name, with: unlock) } catch {
        texts.append("\(error)")
      }
    }
    note(try unlock(2))
    sealed[sealed.count - 1] ^= 1
    note(try unlock(1))
    sealed = []
    note(try unlock(1))
    #expect(texts.count == 3)
    for text in texts {
      #expect(text.contains("sealed secret pepper"))
      #expect(!text.contains("logout"))
    }
  }
}
