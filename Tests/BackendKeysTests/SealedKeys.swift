import BackendStore
import Basics
import Foundation
import SecureMemory
import TestSupport

@testable import BackendKeys

/// Opens what a server has sealed, as only a test does.
enum SealedKeys {
  static func open(_ row: SealedKey) throws -> SecureBytes {
    try sealer().open(row.sealed, as: row.purpose == .pepper ? "pepper" : "signing.\(row.algorithm).\(row.keyID)")
  }
}

/// HMAC-SHA256, which JOSE's algorithms here do not have.
func hmacSHA256(key: [UInt8], _ message: [UInt8]) throws -> [UInt8] {
  // RFC 2104, over keys of any size.
  func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
    let sandbox = try Sandbox()
    let result = try run(["sha256sum"], in: sandbox, input: Data(bytes))
    let digits = Array(result.text.prefix(64))
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }
  var block = key.count > 64 ? try sha256(key) : key
  block += [UInt8](repeating: 0, count: 64 - block.count)
  return try sha256(block.map { $0 ^ 0x5C } + sha256(block.map { $0 ^ 0x36 } + message))
}
