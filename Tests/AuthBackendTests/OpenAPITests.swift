import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import YAML

@testable import AuthBackend

/// The document for clients is held against what the server answers. What each endpoint answers is compared by `scripts/check-openapi`.
@Suite("The OpenAPI document")
struct OpenAPITests {
  private func operations() throws -> [String: Set<String>] {
    let document = try YAMLDocument.read("\(Programs.checkout)/docs/openapi.yaml")
    let paths = try #require(try document.entries().first { $0.name == "paths" })
    var operations: [String: Set<String>] = [:]
    for path in try paths.value.entries() {
      operations[path.name] = Set(try path.value.entries().map { $0.name.uppercased() })
    }
    return operations
  }

  @Test("it has every endpoint with every method, and nothing else")
  func complete() throws {
    let operations = try operations()
    #expect(operations.keys.sorted() == Endpoint.allCases.map(\.rawValue).sorted())
    for endpoint in Endpoint.allCases {
      #expect(operations[endpoint.rawValue] == Set(endpoint.methods), "\(endpoint.rawValue)")
    }
  }

  @Test("what is text says that it is", arguments: ["/healthz", "/readyz", "/healthz?%"])
  func text(_ target: String) throws {
    let answer = try BackendFixture().send("GET", target)
    #expect(answer.first("Content-Type") == "text/plain; charset=utf-8")
    #expect(answer.status == (target.hasSuffix("%") ? 400 : 200))
  }

  @Test("no name in it leads nowhere, and none is left over")
  func references() throws {
    let text = try String(contentsOfFile: "\(Programs.checkout)/docs/openapi.yaml", encoding: .utf8)
    let used = Set(text.components(separatedBy: "#/components/").dropFirst().map { String($0.prefix { $0 != "\"" }) })
    let document = try YAMLDocument.read("\(Programs.checkout)/docs/openapi.yaml")
    let components = try #require(try document.entries().first { $0.name == "components" })
    var there: Set<String> = []
    for kind in try components.value.entries() where kind.name != "securitySchemes" {
      there.formUnion(try kind.value.entries().map { "\(kind.name)/\($0.name)" })
    }
    #expect(used.count > 50)
    #expect(used.subtracting(there).sorted() == [])
    #expect(there.subtracting(used).sorted() == [])
  }
}
