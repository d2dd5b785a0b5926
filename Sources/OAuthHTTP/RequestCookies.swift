internal import Basics
public import HTTPServer

/// The cookies that a request brings (RFC 6265 4.2), read as Go's `net/http` reads them.
public struct RequestCookies {
  private let pairs: [(name: Substring, value: Substring)]

  /// Reads a request.
  public init(_ request: ServerRequest) {
    pairs = request.headers.all("Cookie").flatMap { field in
      field.split(separator: ";").compactMap { part -> (Substring, Substring)? in
        let part = trimmed(part)
        let equals = part.firstIndex(of: "=") ?? part.endIndex
        let name = trimmed(part[..<equals])
        var value = part[equals...].dropFirst()
        if value.count > 1, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
        let isValid = value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3B && $0 != 0x5C }
        return HTTPToken.isValid(name) && isValid ? (name, value) : nil
      }
    }
  }

  /// The value of the first cookie of a name; nil when there is none.
  public func first(_ name: String) -> String? { pairs.first { $0.name == name }.map { String($0.value) } }
}

private func trimmed(_ text: Substring) -> Substring {
  var text = text
  while text.first == " " || text.first == "\t" { text.removeFirst() }
  while text.last == " " || text.last == "\t" { text.removeLast() }
  return text
}
