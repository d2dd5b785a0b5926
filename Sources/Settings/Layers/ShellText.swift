internal import Basics

/// Values written for a POSIX shell to read with `eval`, one line each.
public enum ShellText {
  /// Names that mean something to sh, bash, zsh or ksh: their values are evaluated as arithmetic or expanded, either of
  /// which runs commands, or steer how the rest is read, or may not be set at all.
  private static let ownNames: Set<String> = [
    "BASHOPTS", "BASHPID", "BASH_ARGV0", "BASH_COMPAT", "BASH_ENV", "BASH_SUBSHELL", "BASH_VERSINFO", "COLUMNS",
    "DIRSTACK", "EGID", "ENV", "EPOCHREALTIME", "EPOCHSECONDS", "ERRNO", "EUID", "FUNCNAME", "FUNCNEST", "GID",
    "GROUPS", "HISTCMD", "HISTFILESIZE", "HISTSIZE", "IFS", "KEYTIMEOUT", "LINENO", "LINES", "LISTMAX", "LOGCHECK",
    "MAILCHECK", "OPTIND", "PERIOD", "PIPESTATUS", "POSIXLY_CORRECT", "PPID", "PROMPT", "PROMPT2", "PROMPT3",
    "PROMPT4", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4", "RANDOM", "RPROMPT", "RPROMPT2", "RPS1", "RPS2",
    "SAVEHIST", "SECONDS", "SHELLOPTS", "SHLVL", "SPROMPT", "SRANDOM", "TMOUT", "TRY_BLOCK_ERROR",
    "TRY_BLOCK_INTERRUPT", "TTYIDLE", "UID",
  ]

  /// `export KEY='value'`; nil for a name that a shell cannot have or gives a meaning of its own, or a value with a NUL.
  public static func line(key: String, value: String) -> String? {
    let name = key.utf8
    guard let first = name.first, !Byte.isDigit(first), name.allSatisfy(Byte.isWord), !ownNames.contains(key),
      !value.utf8.contains(0)
    else { return nil }
    let isUnsafe = value.unicodeScalars.contains(where: OutsideText.isUnsafe)
    return isUnsafe ? "\(printed(key, value)); export \(key)" : "export \(key)=\(quoted(value))"
  }

  /// Between single quotes, where nothing is special but the quote itself.
  static func quoted(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy(DotenvText.isBare)
    if isPlain { return text }
    // By scalars: a quote with a combining mark behind it is a character of its own, and a quote to the shell.
    var out = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { out += "'\\''" } else { out.unicodeScalars.append(scalar) }
    }
    return out + "'"
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
      case _ where OutsideText.isUnsafe(scalar):
        for byte in String(scalar).utf8 {
          let octal = String(byte, radix: 8)
          format += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
        }
      default: format.unicodeScalars.append(scalar)
      }
    }
    return "\(key)=$(printf '\(format)x'); \(key)=${\(key)%x}"
  }
}
