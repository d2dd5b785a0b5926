/// How big a document may be, so that no file costs more than its length suggests.
public struct YAMLLimits: Sendable {
  /// The most bytes of text.
  public let bytes: Int
  /// The deepest nesting of sequences and mappings.
  public let depth: Int
  /// The most nodes, names of mappings included.
  public let nodes: Int

  /// Limits for a document.
  public init(bytes: Int = 1 << 20, depth: Int = 32, nodes: Int = 50_000) {
    self.bytes = bytes
    self.depth = depth
    self.nodes = nodes
  }

  /// 1 MiB, 32 levels, 50,000 nodes.
  public static let standard = YAMLLimits()
}
