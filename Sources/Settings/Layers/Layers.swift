public import Basics

/// Which files an app reads in a mode, and in which order.
public enum Layers {
  /// The modes that Expo knows.
  public static let modes = ["development", "production", "test"]

  /// The files of a mode, lowest first: `.env`, `.env.MODE`, `.env.local` (not in `test`), `.env.MODE.local`. The
  /// process environment is above them all.
  public static func fileNames(mode: String) -> [String] {
    var names = [".env", ".env.\(mode)"]
    if mode != "test" { names.append(".env.local") }
    names.append(".env.\(mode).local")
    // A mode called `local` names one file twice; it counts in its highest place.
    return names.enumerated().filter { !names[($0.offset + 1)...].contains($0.element) }.map(\.element)
  }

  /// Checks the name of a mode. Throws ``FailureCode/usage`` for one that cannot be part of a file name.
  public static func check(mode: String) throws(Failure) {
    guard !mode.isEmpty, mode.utf8.count <= 64, !mode.utf8.contains(where: { $0 <= 0x20 || $0 == 0x2F || $0 == 0x7F })
    else {
      throw Failure(
        .usage, "'\(OutsideText.clean(mode, limit: 80))' is not a mode",
        hint: "use \(modes.joined(separator: ", ")) or another file name's worth of letters")
    }
  }

  /// Reads the files of a mode in a folder, lowest first. Never fails: each file says what became of it.
  public static func load(directory: String, mode: String, dialect: Dialect) -> [EnvFile] {
    fileNames(mode: mode).map { EnvFile.load(name: $0, path: "\(directory)/\($0)", dialect: dialect) }
  }
}
