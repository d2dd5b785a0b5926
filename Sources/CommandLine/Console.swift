public import Basics
internal import Glibc

extension FailureCode {
  /// The reader of stdout has gone. Nothing is said of it; a command passes it on, so that what it holds is given back, and
  /// ``Program`` then ends the process as SIGPIPE does.
  public static let closedPipe = FailureCode("closed-pipe", ExitCode(rawValue: 128 + SIGPIPE))
}

/// Where a command prints: results to stdout, everything else to stderr, in the form that the options ask for.
public final class Console {
  /// Whether stdout is one JSON document and errors are JSON objects.
  public let json: Bool
  /// Whether notes are left out.
  public let quiet: Bool
  /// Whether details are printed.
  public let verbose: Bool
  /// Whether stdout takes colour: a terminal, not turned off by `--no-color`, `NO_COLOR` or `TERM=dumb`.
  public let color: Bool
  /// Whether stdout is a terminal.
  public let outputIsTerminal: Bool

  private let program: String
  private let output: Int32
  private let errors: Int32

  /// A console for a command of a program, whose name begins what it says of failures. `output` and `errors` are borrowed
  /// descriptors.
  public init(
    invocation: Invocation?, environment: Environment, program: String = "mfsctl", output: Int32 = 1, errors: Int32 = 2
  ) {
    self.program = program
    json = invocation?.flag("json") ?? false
    quiet = invocation?.flag("quiet") ?? false
    verbose = invocation?.flag("verbose") ?? false
    self.output = output
    self.errors = errors
    outputIsTerminal = isatty(output) == 1
    color =
      outputIsTerminal && !(invocation?.flag("no-color") ?? false) && environment.nonEmpty("NO_COLOR") == nil
      && environment["TERM"] != "dumb"
  }

  /// A console for what needs no command: help, the version, and what is wrong with the command line itself.
  init(asJSON json: Bool, program: String) {
    self.program = program
    self.json = json
    quiet = false
    verbose = false
    color = false
    outputIsTerminal = false
    output = 1
    errors = 2
  }

  /// Prints a result as it is. Throws ``FailureCode/inputOutput``, e.g. when the disk behind stdout is full, and
  /// ``FailureCode/closedPipe``.
  public func write(_ text: String) throws(Failure) {
    var text = text
    let failure: Failure? = text.withUTF8 { bytes in
      unsafe Console.writeAll(output, UnsafeRawBufferPointer(bytes))
    }
    if let failure { throw afterFailedWrite(failure) }
  }

  /// Prints a result and a line end.
  public func line(_ text: String) throws(Failure) { try write(text + "\n") }

  /// Prints one JSON document and a line end.
  public func document(_ value: JSONValue) throws(Failure) { try line(value.text) }

  /// The same for an object with one more member at its end: a secret, whose text does not pass through a String. `text` is printable
  /// ASCII that JSON does not escape; throws ``FailureCode/bug`` for any other, before anything is printed.
  public func document(
    _ members: [JSONValue.Member], secret name: String, _ text: UnsafeRawBufferPointer
  ) throws(Failure) {
    guard unsafe text.allSatisfy({ (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }) else {
      throw Failure(.bug, "a secret of other characters was to be printed as JSON")
    }
    // It ends with the closing quotation mark and brace, between which and the opening one nothing stands.
    let whole = JSONValue.object(members + [.init(name, .string(""))]).text
    try write(String(whole.dropLast(2)))
    try unsafe write(bytes: text)
    try line("\"}")
  }

  /// Prints bytes exactly, for values that are none of our business.
  public func write(bytes: UnsafeRawBufferPointer) throws(Failure) {
    if let failure = unsafe Console.writeAll(output, bytes) { throw afterFailedWrite(failure) }
  }

  // A reader that has gone is no error to report.
  private func afterFailedWrite(_ failure: Failure) -> Failure {
    var pipe = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&pipe, 1, 0) == 1, pipe.revents & Int16(POLLERR) != 0 else { return failure }
    return Failure(.closedPipe, "the reader of the output has gone")
  }

  /// Says something on stderr unless `--quiet`. Never a result.
  public func note(_ text: String) { if !quiet { sayOnErrors(text) } }

  /// Says something on stderr with `--verbose` only.
  public func detail(_ text: String) { if verbose { sayOnErrors(text) } }

  /// Tells a person on stderr what they have to do, `--quiet` or not.
  public func instruct(_ text: String) { sayOnErrors(text) }

  /// Prints a warning on stderr, `--quiet` or not.
  public func warn(_ text: String) { sayOnErrors("\(program): warning: \(text)") }

  /// Prints a failure on stderr: a line and its hint, or with `--json` the object of docs/CLI.md.
  public func report(_ failure: Failure) {
    guard json else {
      let margin = String(repeating: " ", count: program.utf8.count + 2)
      sayOnErrors("\(program): \(failure.message)" + (failure.hint.map { "\n\(margin)\($0)" } ?? ""))
      return
    }
    let body: JSONValue = [
      "error": [
        "code": .string(failure.code.name), "message": .string(failure.message), "hint": .optional(failure.hint),
        "exit": .number(failure.code.exit.rawValue),
      ]
    ]
    sayOnErrors(body.text)
  }

  // A failure to write to stderr has no one left to be told.
  private func sayOnErrors(_ text: String) {
    var text = text + "\n"
    _ = text.withUTF8 { bytes in unsafe Console.writeAll(errors, UnsafeRawBufferPointer(bytes)) }
  }

  private static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Failure? {
    let file = FileDescriptor(owning: descriptor)
    var failure: Failure?
    do throws(Failure) { try unsafe file.write(bytes) } catch { failure = error }
    _ = file.release()
    return failure
  }
}
