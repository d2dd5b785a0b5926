public import Basics

/// One env file of a stack: its name and what became of reading it.
public struct EnvFile: Sendable {
  /// What became of reading a file.
  public enum State: Sendable {
    /// It was read: its assignments as the app gets them, and as they were meant when that is something else.
    case read(EnvDocument, asMeant: EnvDocument?)
    /// There is no such file.
    case missing
    /// There is something that cannot be read, and why.
    case unreadable(Failure)
  }

  /// The largest file that is read, in bytes: 16 MiB.
  public static let sizeLimit = 16 << 20

  /// Its name as it is shown: relative to the app's folder, or as it was given.
  public let name: String
  /// What became of reading it.
  public let state: State

  /// A file with its state.
  public init(name: String, state: State) {
    self.name = name
    self.state = state
  }

  /// A file from its bytes.
  public init(name: String, bytes: [UInt8], dialect: Dialect) {
    let document = EnvDocument(bytes, dialect: dialect)
    self.name = name
    state = .read(document, asMeant: document.isMisread ? .asMeant(bytes, dialect: dialect) : nil)
  }

  /// Reads a file that need not exist and need not be readable.
  public static func load(name: String, path: String, dialect: Dialect) -> EnvFile {
    do throws(Failure) {
      return EnvFile(name: name, bytes: try Files.read(path, limit: sizeLimit), dialect: dialect)
    } catch {
      return EnvFile(name: name, state: error.code == .notFound ? .missing : .unreadable(error))
    }
  }

  /// Whether there is no such file.
  public var isMissing: Bool { if case .missing = state { true } else { false } }

  /// What was read; nil when nothing was.
  public var document: EnvDocument? {
    if case .read(let document, _) = state { document } else { nil }
  }

  /// What was meant; nil when nothing was read.
  var meantDocument: EnvDocument? {
    if case .read(let document, let meant) = state { meant ?? document } else { nil }
  }

  /// The same file as its lines were meant.
  public var asMeant: EnvFile {
    guard case .read(_, let meant?) = state else { return self }
    return EnvFile(name: name, state: .read(meant, asMeant: nil))
  }
}
