internal import CLinux

/// The words that this process was started with, after its own name.
///
/// They are taken from its memory. The standard library reads them from /proc, and takes a read that a signal interrupts
/// for no words at all.
public struct ProcessArguments: Sendable {
  /// The words. Bytes that are not UTF-8 have become U+FFFD in them.
  public let words: [String]
  /// The number, from 1, of the first word that is not UTF-8; nil when all are. What such a word was turned into would
  /// name something else, so it must not be acted on.
  public let malformed: Int?

  /// These words.
  public init(_ words: [String]) {
    self.words = words
    malformed = nil
  }

  private init(words: [String], malformed: Int?) {
    self.words = words
    self.malformed = malformed
  }

  /// The words, when all are what was given. Throws ``FailureCode/usage`` for one that is not UTF-8.
  public func checked() throws(Failure) -> [String] {
    guard let malformed else { return words }
    throw Failure(
      .usage, "argument \(malformed) is not valid UTF-8: '\(OutsideText.clean(words[malformed - 1], limit: 60))'",
      hint: "give the file a name that is, or reach it through a link")
  }

  /// Those of this process.
  public static func current() -> ProcessArguments {
    var words: [String] = []
    var malformed: Int?
    var index: Int32 = 1
    while let word = unsafe clinux_argument(index) {
      if let text = unsafe String(validatingCString: word) {
        words.append(text)
      } else {
        words.append(unsafe String(cString: word))
        malformed = malformed ?? words.count
      }
      index += 1
    }
    return ProcessArguments(words: words, malformed: malformed)
  }
}
