/// Secrets of ours where names belong, typed there by mistake. Names are kept, shown and written down.
public enum MisplacedSecret {
  /// Whether a text has a token or a resource server's secret in it, which are known by their prefixes (`mfs_` and the like).
  public static func isIn(_ text: String) -> Bool { LogText.hasToken(text) }

  /// A text as it may be written down: on one line, short, and without such secrets.
  public static func without(_ text: String) -> String { LogText.shown(text) }
}
