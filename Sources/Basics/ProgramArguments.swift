internal import CLinux

/// What the program was started with.
public enum ProgramArguments {
  /// The arguments without the program's name. Bytes that are not UTF-8 become U+FFFD.
  public static let all: [String] = {
    var arguments: [String] = []
    var index: Int32 = 1
    while let text = unsafe clinux_argument(index) {
      arguments.append(unsafe String(cString: text))
      index += 1
    }
    return arguments
  }()
}
