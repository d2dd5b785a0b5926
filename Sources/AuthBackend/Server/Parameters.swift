/// The parameters of a request, from its query or its form. An empty one counts as absent (RFC 6749 3.1).
struct Parameters {
  let items: [(name: String, value: String)]

  subscript(name: String) -> String? { items.first { $0.name == name && !$0.value.isEmpty }?.value }

  func isRepeated(_ name: String) -> Bool { items.count { $0.name == name } > 1 }

  /// A name that stands more than once (RFC 6749 3.1).
  var repeated: String? {
    var seen: Set<String> = []
    return items.first { !seen.insert($0.name).inserted }?.name
  }
}
