import Basics
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing

@testable import Vault

@Suite struct ConcurrencyTests {
  /// 64 processes at once, each with a value of its own: every one that said 0 is there.
  @Test func manyWritersLoseNothing() throws {
    let vault = try TestVault()
    try vault.create()
    let script = """
      for i in $(seq 64); do
        ( printf "value $i" | mfsctl vault set k.$i --uncatalogued --lock-timeout 60 2>err.$i || echo "$i: $?" ) &
      done
      wait
      """
    let result = try run(
      ["sh", "-c", script], in: vault.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile], seconds: 120)
    #expect(result.text.isEmpty, "writers that failed: \(result.text)")
    let values = try vault.values()
    #expect(values.count == 64)
    for index in 1...64 { #expect(values["k.\(index)"] == Array("value \(index)".utf8)) }
    #expect(try vault.store.status().generation == 65)
    #expect(try vault.names() == ["default.lock", "default.mfsv"])
  }

  /// Readers during writes see one whole state after another, never a mixture and never an error.
  @Test func readersSeeWholeStates() throws {
    let vault = try TestVault()
    try vault.create()
    let isDone = Flag()
    Thread.detachNewThread {
      for index in 0..<100 {
        _ = try? vault.store.open().update { contents throws(Failure) in
          for name in ["auth.identifier", "auth.sessionId"] {
            contents.set(try KeyName(name), try SecureBytes(publicText: "\(index)"))
          }
        }
      }
      isDone.value.withLock { $0 = true }
    }
    var last = -1
    while true {
      let stop = isDone.value.withLock { $0 }
      let values = try vault.values()
      #expect(values["auth.identifier"] == values["auth.sessionId"])
      if let number = values["auth.sessionId"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) {
        #expect(number >= last)
        last = number
      }
      if stop { break }
    }
    #expect(last == 99)
  }
}

private final class Flag: Sendable { let value = Mutex(false) }
