public import Basics
internal import CLinux
internal import Glibc

extension StrategyProject {
  /// Writes the project as a folder that is not there yet, or is empty: all of it or nothing. Throws
  /// ``FailureCode/exists`` when something stands there, ``FailureCode/notFound`` when the folder that it is to stand in is
  /// missing, ``FailureCode/usage`` for an empty path, ``FailureCode/inputOutput``.
  public func write(to folder: String) throws(Failure) {
    // By bytes, as the kernel reads it: a slash that is followed by a combining mark is one, though no Character of its own.
    var target = folder[...]
    while target.utf8.count > 1, target.utf8.last == 0x2F {
      target = target[..<target.utf8.index(before: target.endIndex)]
    }
    let shown = OutsideText.clean(String(target), limit: 300)
    let start = target.utf8.lastIndex(of: 0x2F).map { target.utf8.index(after: $0) } ?? target.startIndex
    let parent = target[..<start], last = target[start...]
    guard !last.isEmpty, last != ".", last != ".." else {
      throw Failure(.usage, "'\(shown)' is not the name of a new folder", hint: "give --output DIR")
    }
    // Beside it, with no longer a name than a file may have.
    let temporary = "\(parent).\(String(decoding: last.utf8.prefix(100), as: UTF8.self)).\(getpid()).new"
    guard unsafe mkdir(temporary, 0o777) == 0 else {
      throw Failure.system("make a folder for \(shown)", code: clinux_errno() == ENOENT ? .notFound : .inputOutput)
        .hinting(toMake: target, option: "--output DIR")
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
      throw error.hinting(toMake: target, option: "--output DIR")
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
