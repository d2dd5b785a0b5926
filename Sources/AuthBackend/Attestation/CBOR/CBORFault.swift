/// Why bytes are no CBOR that ``CBORReader`` takes. Equal by kind and place.
struct CBORFault: Error, Equatable, CustomStringConvertible {
  /// The closed set of faults.
  enum Kind: CaseIterable {
    /// It ends in the middle of an item.
    case cut
    /// Bytes follow the item.
    case trailing
    /// An item of indefinite length.
    case indefinite
    /// A length or number that is not in its shortest form.
    case notShortest
    /// A tag, a floating-point number or a simple value that nothing here uses, or a reserved head.
    case unsupported
    /// A text that is not UTF-8.
    case encoding
    /// A map has a key twice, or a key that is neither a number nor a text.
    case key
    /// It is nested deeper than allowed.
    case depth
    /// It is larger, or has more items, than allowed.
    case size
  }

  /// Which.
  let kind: Kind
  /// How many bytes stand before the item that it was seen in.
  let offset: Int

  init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// For people, without anything of the document.
  var description: String {
    let what =
      switch kind {
      case .cut: "it is cut short"
      case .trailing: "something follows it"
      case .indefinite: "a length is not given"
      case .notShortest: "a number is not in its shortest form"
      case .unsupported: "it has a kind of item that is not used here"
      case .encoding: "a text is not UTF-8"
      case .key: "a map has a key twice, or one that is neither a number nor a text"
      case .depth: "it is nested too deeply"
      case .size: "it is too large"
      }
    return "\(what) (at byte \(offset))"
  }
}
