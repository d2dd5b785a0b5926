import Basics
import Foundation
import HTTPTestSupport

/// Everything but letters, digits and `-._~` percent-encoded.
func encoded(_ text: String) -> String {
  text.utf8.map { byte in
    let scalar = Character(UnicodeScalar(byte))
    return scalar.isASCII && (scalar.isLetter || scalar.isNumber || "-._~".contains(scalar))
      ? String(scalar) : String(format: "%%%02X", byte)
  }.joined()
}

func formText(_ items: [(String, String)]) -> String {
  items.map { encoded($0.0) + "=" + encoded($0.1) }.joined(separator: "&")
}

/// Where an answer sends a browser, taken apart.
struct Destination {
  let text: String
  let items: [(name: String, value: String)]

  init(_ text: String) {
    self.text = text
    let query = text.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    items = query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0).removingPercentEncoding ?? "?"
      }
      return (parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  subscript(name: String) -> String? { items.first { $0.name == name }?.value }
}

extension RawResponse {
  /// The body as JSON.
  func json() throws -> JSONValue { try JSONReader.value(body) }

  /// `error` of a JSON body.
  var error: String? { (try? json())?["error"]?.string }

  /// Where it leads to.
  var destination: Destination? { first("Location").map(Destination.init) }

  /// Whether it is a redirect that changes the method to GET.
  var isRedirect: Bool { status == 302 || status == 303 }

  var mediaType: String? { first("Content-Type")?.split(separator: ";").first.map(String.init) }
}

/// Header and payload of a token, not verified.
func decoded(_ token: String) throws -> (header: JSONValue, claims: JSONValue) {
  let parts = token.split(separator: ".").map(String.init)
  func read(_ part: String) throws -> JSONValue {
    var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while text.utf8.count % 4 != 0 { text += "=" }
    return try JSONReader.value([UInt8](Data(base64Encoded: text) ?? Data()))
  }
  guard parts.count == 3 else { throw BackendFixture.NoAnswer(description: "no token: \(token)") }
  return (try read(parts[0]), try read(parts[1]))
}

extension JSONValue {
  var number: Int64? { if case .integer(let number) = self { number } else { nil } }
  var isTrue: Bool { self == .bool(true) }
}
