public import YAML

/// A key of the vault as the catalog documents it. It has no value here; the vault alone does.
public struct EnclaveKey: Sendable, Equatable {
  /// What its bytes are.
  public enum Kind: String, Sendable, CaseIterable {
    /// UTF-8 text.
    case string
    /// A moment, as RFC 3339 text.
    case timestamp
    /// A token, password or key, which must not be shown.
    case secret
    /// Any bytes.
    case bytes
  }

  /// Which of the two ways to remove things removes it; a wipe removes all that a logout does.
  public enum Removal: String, Sendable, CaseIterable {
    /// `vault logout`.
    case logout
    /// `vault logout --wipe` only.
    case wipe
  }

  /// The name; `<word>` stands for a part that varies.
  public let name: String
  /// What its bytes are.
  public let kind: Kind
  /// Who writes it.
  public let writer: String
  /// What removes it.
  public let removedBy: Removal
  /// One line on what it is for.
  public let summary: String
  /// Where it is declared.
  public let place: YAMLPlace

  /// A key of the vault.
  public init(
    name: String, kind: Kind, writer: String, removedBy: Removal, summary: String, place: YAMLPlace = .nowhere
  ) {
    self.name = name
    self.kind = kind
    self.writer = writer
    self.removedBy = removedBy
    self.summary = summary
    self.place = place
  }
}
