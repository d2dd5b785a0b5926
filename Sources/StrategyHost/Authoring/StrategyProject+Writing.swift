public import Basics
internal import CLinux
internal import Glibc

extension StrategyProject {
  /// Writes the project as a folder that is not there yet, or is empty: all of it or nothing. Throws
  /// ``FailureCode/exists`` when something stands there, ``FailureCode/notFound`` when the folder that it is to stand in is
  /// missing, ``FailureCode/usage`` for an empty path, ``FailureCode/inputOutput``.
  public func write(to folder: String) throws(Failure) {
    var target = folder[...]
    while target.count > 1, target.last == "/" { target = target.dropLast() }
    let shown = OutsideText.clean(String(target), limit: 300)
    let last = target.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard !last.isEmpty, last != ".", last != ".." else {
      throw Failure(.usage, "'\(shown)' is not the name of a new folder", hint: "give --output DIR")
    }
    let parent = target.dropLast(last.utf8.count)
    let temporary = "\(parent).\(last.prefix(100)).\(getpid()).new"
    guard unsafe mkdir(temporary, 0o777) == 0 else {
      throw .system("make a folder for \(shown)", code: clinux_errno() == ENOENT ? .notFound : .inputOutput)
    }
    var made = [temporary]
    do throws(Failure) {
      for file in files { try write(file, below: temporary, noting: &made) }
      // Takes the place of an empty folder, and of nothing else.
      guard unsafe rename(temporary, String(target)) == 0 else {
        guard [ENOTEMPTY, EEXIST, ENOTDIR].contains(clinux_errno()) else { throw .system("make the folder \(shown)") }
        throw Failure(
          .exists, "\(shown) is there already, and nothing in it is overwritten", hint: "give another --output DIR")
      }
    } catch {
      for path in made.reversed() { _ = unsafe remove(path) }
      throw error
    }
  }

  private func write(_ file: File, below root: String, noting made: inout [String]) throws(Failure) {
    var folder = root
    for part in file.path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      guard !made.contains(folder) else { continue }
      guard unsafe mkdir(folder, 0o777) == 0 else { throw .system("make the folder \(OutsideText.clean(folder))") }
      made.append(folder)
    }
    let path = "\(root)/\(file.path)"
    let open = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
    made.append(path)
    try open.write(file.contents)
  }
}
