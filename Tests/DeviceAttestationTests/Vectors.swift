import Basics
import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import DeviceAttestation

/// When the vectors are valid.
let vectorTime = Timestamp(seconds: 1_800_000_000)

/// One line of a program that makes vectors.
struct Vector: Sendable, CustomStringConvertible {
  let members: JSONValue
  var description: String { text("name") }
  /// The refusal that it must meet; empty for none.
  var expected: String { text("expect") }

  func text(_ name: String) -> String { members[name]?.string ?? "" }
  func bytes(_ name: String) -> [UInt8] { Data(base64Encoded: text(name)).map { Array($0) } ?? [] }
  func number(_ name: String) -> Int64 { if case .integer(let number) = members[name] { number } else { -1 } }
}

/// What a program prints, made once for all tests.
struct Vectors: Sendable {
  let head: Vector
  let all: [Vector]

  static let appAttest = Result { try Vectors("appattest") }
  static let playIntegrity = Result { try Vectors("playintegrity") }

  private init(_ program: String) throws {
    let sandbox = try Sandbox()
    let script = try #require(Bundle.module.url(forResource: "Resources/\(program)", withExtension: "py")).path
    let result = try run([try PythonEnvironment().interpreter, "-B", script], in: sandbox, seconds: 120)
    try #require(result.status == 0, "\(result.errorText)")
    let lines = try result.text.split(separator: "\n").map { Vector(members: try JSONReader.value(Array($0.utf8))) }
    head = try #require(lines.first)
    all = Array(lines.dropFirst())
  }

  /// The vector of that name.
  func named(_ name: String) throws -> Vector { try #require(all.first { $0.text("name") == name }) }
}

/// The name of what was refused; empty when nothing was. No text of a refusal may hold one of `secrets`.
func refusal(hiding secrets: [String] = [], _ body: () throws(AttestationRefusal) -> Void) -> String {
  do throws(AttestationRefusal) {
    try body()
    return ""
  } catch {
    let text = String(describing: error)
    #expect(!secrets.contains { !$0.isEmpty && text.contains($0) }, "\(error.reason)")
    return error.reason.rawValue
  }
}

/// A verifier that trusts the root of the App Attest vectors, and asks for the categories that a vector names.
func verifier(
  _ vectors: Vectors, _ environment: AppAttestEnvironment = .production, allowing vector: Vector? = nil
) throws -> AppAttestVerifier {
  let allowed = vector?.members["allowed"]?.items?.compactMap { item -> UInt32? in
    if case .integer(let number) = item { UInt32(exactly: number) } else { nil }
  }
  return AppAttestVerifier(
    appID: vectors.head.text("app"), environment: environment,
    roots: try PinnedRoots(pem: Array(vectors.head.text("pem").utf8)), validationCategories: allowed.map { Set($0) })
}

/// Bytes in guarded memory.
func secret(_ bytes: [UInt8]) throws -> SecureBytes {
  let secret = try SecureBytes(count: bytes.count)
  secret.withMutableBytes { $0.copyBytes(from: bytes) }
  return secret
}

/// A token in guarded memory.
func secret(_ text: String) throws -> SecureBytes { try SecureBytes(publicText: text) }
