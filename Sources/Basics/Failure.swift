internal import CLinux
internal import Glibc

/// The one error type of the toolkit: an open code, a message for people and the next step.
///
/// Two failures are equal when their codes are, so a test asks for the kind and not for the wording. A message never
/// holds a secret; text from outside goes through ``OutsideText`` before it becomes part of one.
public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of failure, and the exit code it leads to.
  public let code: FailureCode
  /// What happened, as a sentence or two without a final line end.
  public let message: String
  /// What to do next; nil when the message says it all.
  public let hint: String?

  /// A failure of `code`; `hint` is the next step.
  public init(_ code: FailureCode, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Message and hint in one line.
  public var description: String { hint.map { "\(message) (\($0))" } ?? message }

  /// Equal when the codes are.
  public static func == (a: Failure, b: Failure) -> Bool { a.code == b.code }

  /// What to do about ``FailureCode/outOfMemory``.
  public static let memoryHint = "free some memory, or raise the limit (ulimit -v, memory.max of the control group)"

  /// The next step where no file can be opened any more.
  public static let descriptorHint = "close some programs, or raise the limit of open files (ulimit -n)"

  /// The failure of a system call, from `errno` as it stands now: "cannot `doing`: No such file or directory".
  public static func system(_ doing: String, code: FailureCode = .inputOutput, hint: String? = nil) -> Failure {
    system(doing, errno: clinux_errno(), code: code, hint: hint)
  }

  /// The same with an error number that was kept.
  public static func system(
    _ doing: String, errno number: Int32, code: FailureCode = .inputOutput, hint: String? = nil
  ) -> Failure {
    let isMemory = number == ENOMEM && code == .inputOutput
    let hint = hint ?? (number == EMFILE || number == ENFILE ? descriptorHint : nil)
    return Failure(
      isMemory ? .outOfMemory : code, "cannot \(doing): \(systemErrorText(number))",
      hint: isMemory ? hint ?? memoryHint : hint)
  }
}

/// The C library's text for an `errno` value, e.g. "No space left on device".
public func systemErrorText(_ number: Int32) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress else { return "error \(number)" }
    guard unsafe strerror_r(number, base, buffer.count) == 0 else { return "error \(number)" }
    return unsafe String(cString: base)
  }
}
