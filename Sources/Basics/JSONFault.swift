/// Why bytes are no JSON document that ``JSONReader`` takes. Equal by kind and place.
public struct JSONFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The closed set of faults.
  public enum Kind: Sendable, CaseIterable {
    /// It is not JSON.
    case syntax
    /// It is not UTF-8.
    case encoding
    /// An object has two members of one name.
    case duplicate
    /// It is nested deeper than allowed.
    case depth
    /// It is larger than allowed.
    case size
  }

  /// Which.
  public let kind: Kind
  /// How many bytes stand before the place where it was seen.
  public let offset: Int

  /// A fault at an offset.
  public init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// For people, without anything of the document.
  public var description: String {
    switch kind {
    case .syntax: "it is not JSON (at byte \(offset))"
    case .encoding: "it is not UTF-8 (at byte \(offset))"
    case .duplicate: "an object in it has two members of one name (at byte \(offset))"
    case .depth: "it is nested too deeply (at byte \(offset))"
    case .size: "it is too large"
    }
  }
}
