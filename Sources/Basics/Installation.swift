internal import Glibc

/// Where the parts of the toolkit find each other: beside the running executable, as `make build` leaves them, or in
/// `../lib/mfsctl`, as `make install` does.
public enum Installation {
  /// The folder of the running executable, links resolved; nil when /proc is not there or its
  /// path is not UTF-8.
  public static func executableFolder() -> String? {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(path) }
    // A repaired path would be another one, from which nothing may be run.
    guard let text = unsafe String(validatingCString: path) else { return nil }
    return text.lastIndex(of: "/").map { $0 == text.startIndex ? "/" : String(text[..<$0]) }
  }

  /// The folders that may hold the other parts, best first.
  public static func folders() -> [String] {
    guard let folder = executableFolder() else { return [] }
    let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
    return [folder, parent + "/lib/mfsctl"]
  }

  /// The path of another part, e.g. `mfsctl-full`. Throws ``FailureCode/configuration`` when it is nowhere.
  public static func path(of name: String) throws(Failure) -> String {
    for folder in folders() {
      let candidate = "\(folder)/\(name)"
      if unsafe access(candidate, X_OK) == 0 { return candidate }
    }
    throw Failure(
      .configuration, "'\(name)' is not installed: it is neither beside mfsctl nor in ../lib/mfsctl",
      hint: "run 'make build' or 'make install' again")
  }
}
