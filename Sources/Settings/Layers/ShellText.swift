/// Values written for a POSIX shell to read with `eval`, one line each.
public enum ShellText {
  /// `export KEY='value'`; nil for a name that a shell cannot have, or a value with a NUL.
  public static func line(key: String, value: String) -> String? {
    let name = key.utf8
    guard let first = name.first, !Byte.isDigit(first), name.allSatisfy(Byte.isWord), !value.utf8.contains(0) else {
      return nil
    }
    let hasControl = value.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    return hasControl ? "\(printed(key, value)); export \(key)" : "export \(key)=\(quoted(value))"
  }

  /// Between single quotes, where nothing is special but the quote itself.
  static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy(DotenvText.isBare)
    if isPlain { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// An assignment by printf(1), so that no line of the value begins a line of output. Command substitution drops line
  /// ends at the end, hence the letter that is cut off again.
  private static func printed(_ key: String, _ value: String) -> String {
    var format = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "%": format += "%%"
      case "\\": format += "\\\\"
      case "\n": format += "\\n"
      case "'": format += "'\\''"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let octal = String(scalar.value, radix: 8)
        format += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
      default: format.unicodeScalars.append(scalar)
      }
    }
    return "\(key)=$(printf '\(format)x'); \(key)=${\(key)%x}"
  }
}
