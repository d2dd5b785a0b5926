extension String {
  /// Whether two texts are the same bytes. Identifiers of JOSE and OAuth are compared so (RFC 7515 5.3), while `==`
  /// takes texts for equal that are canonically equivalent in Unicode: U+212A counts as `K` there.
  func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
  /// Whether one of them is exactly that text.
  func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
