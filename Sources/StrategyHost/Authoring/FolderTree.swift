internal import Basics
internal import Glibc

/// The files of a folder and of those below it.
enum FolderTree {
  // Deeper than any of ours; a circle of links ends there too.
  private static let mostLevels = 8

  /// The paths of the plain files, relative to the folder, in order. Throws ``FailureCode/notFound``,
  /// ``FailureCode/inputOutput``.
  static func files(below folder: String) throws(Failure) -> [String] {
    var found: [String] = []
    try collect(folder, "", 0, into: &found)
    return found.sorted()
  }

  private static func collect(
    _ root: String, _ path: String, _ level: Int, into found: inout [String]
  ) throws(Failure) {
    let folder = path.isEmpty ? root : "\(root)/\(path)"
    for name in try TrustedFolder(folder, owners: []).names() where name != "." && name != ".." {
      let inner = path.isEmpty ? name : "\(path)/\(name)"
      var status = stat()
      guard unsafe lstat("\(root)/\(inner)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG {
        found.append(inner)
      } else if status.st_mode & S_IFMT == S_IFDIR, level < mostLevels {
        try collect(root, inner, level + 1, into: &found)
      }
    }
  }
}
