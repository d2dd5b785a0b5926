public import Basics

extension Resolution {
  /// The values as the JSON document of docs/CLI.md; secrets are masked unless `reveal`.
  public func json(reveal: Bool) -> JSONValue {
    [
      "mode": .string(mode),
      "values": .object(
        values.map { .init(reveal ? $0.key : $0.maskedKey, .string(reveal ? $0.value : $0.masked)) }),
      "sources": .object(values.map { .init(reveal ? $0.key : $0.maskedKey, $0.source(reveal: reveal)) }),
    ]
  }
}

extension Resolution.Value {
  fileprivate func source(reveal: Bool) -> JSONValue {
    let place: Resolution.Place?
    let from: String
    switch origin {
    case .file(let found): (from, place) = ("file", found)
    case .process: (from, place) = ("process", nil)
    case .defaultValue: (from, place) = ("default", nil)
    }
    return [
      "from": .string(from), "file": .optional(place?.file), "line": place.map { .number($0.line) } ?? .null,
      "masked": .bool(isSecret && !reveal), "shadowed": .array(shadowed.map(\.json)),
    ]
  }
}

extension Resolution.Place {
  /// `{"file","line"}`.
  var json: JSONValue { ["file": .string(file), "line": .number(line)] }
}
