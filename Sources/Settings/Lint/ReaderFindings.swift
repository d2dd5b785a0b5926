internal import Basics

/// What is to be said about a problem that the reader noted.
struct ReaderFinding {
  let rule: Rule
  let message: String
  let help: String?

  /// `key` is the key as it may be shown, `line` the number of the line that is meant by "this line".
  init(_ kind: ReaderProblem.Kind, key: String) {
    switch kind {
    case .noEquals:
      (rule, message) = (.syntax, "this line has no '=' and is dropped without a word")
      help = "write NAME=VALUE, or begin the line with '#'; a value of several lines needs quotes around it"
    case .noKey:
      (rule, message) = (.syntax, "there is no name before '='")
      help = "write NAME=VALUE"
    case .oddKey:
      (rule, message) = (.syntax, "\(key) is read as a name, and no program asks for such a name")
      help = "use letters, digits and '_' only, and 'export' with one blank behind it"
    case .commentRead:
      (rule, message) = (.syntax, "this comment is read as a setting, because it is indented and has an '='")
      help = "begin the line with '#', without blanks before it"
    case .exportKept:
      (rule, message) = (.syntax, "without a value, 'export' stays part of the name: nothing sets \(key)")
      help = "remove 'export', or write \(key)=\"\""
    case .markInKey:
      (rule, message) = (.encoding, "the byte order mark at the start of the file becomes part of the first name")
      help = "save the file as UTF-8 without a byte order mark"
    case .blankAfterEquals:
      (rule, message) = (.blankAfterEquals, "the blank behind '=' makes the next line the value of \(key)")
      help = "remove the blank, or write \(key)=\"\" (Node 22 and 24 read it so, and Expo with them)"
    case .neverClosed:
      (rule, message) = (.unterminatedQuote, "the quote that opens the value of \(key) is never closed")
      help = "close it; until then the quote and all behind it is the value"
    case .closedByLaterLine:
      (rule, message) = (
        .unterminatedQuote,
        "the value of \(key) has no closing quote on its line and runs on into a later setting, which is lost"
      )
      help = "close the quote on this line"
    case .textAfterQuote:
      (rule, message) = (.syntax, "the text behind the closing quote of \(key) is dropped")
      help = "use another kind of quote around the whole value, or remove the text"
    case .loneReturn:
      (rule, message) = (.syntax, "a carriage return without a line feed is removed, which joins two lines")
      help = "save the file with LF line ends"
    case .notUTF8:
      (rule, message) = (.encoding, "the file is not UTF-8 here; what cannot be read becomes U+FFFD")
      help = "save the file as UTF-8"
    case .nul:
      (rule, message) = (.encoding, "there is a NUL byte here, which no variable can hold")
      help = "remove it; is this a text file?"
    case .utf16:
      (rule, message) = (.encoding, "the file is UTF-16, so that no setting in it can be read")
      help = "save it as UTF-8; PowerShell does with '-Encoding utf8'"
    }
  }
}
