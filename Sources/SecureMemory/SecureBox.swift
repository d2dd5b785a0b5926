/// A ``SecureBytes`` that can be kept in a collection or an enum: the one shared, unchangeable owner of a secret.
/// Printing it shows its size, never its bytes.
public final class SecureBox: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The secret.
  public let bytes: SecureBytes

  /// Takes the secret over.
  public init(_ bytes: consuming SecureBytes) { self.bytes = bytes }

  /// `<secret, N bytes>`.
  public var description: String { "<secret, \(bytes.count) bytes>" }
  /// `<secret, N bytes>`.
  public var debugDescription: String { description }
  /// Nothing to see: a dump must not walk into a secret.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
