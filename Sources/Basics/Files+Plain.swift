internal import CLinux
internal import Glibc

extension Files {
  /// Checks that a path leads to a plain file, before something opens it that would wait for the other end of a pipe. `what` is the
  /// file in messages, e.g. "the key file". A missing one passes: who opens it has the better words.
  ///
  /// Throws ``FailureCode/usage`` for anything else that stands there, and ``FailureCode/inputOutput`` when it cannot be told.
  public static func checkPlain(_ path: String, what: String) throws(Failure) {
    let shown = OutsideText.clean(path, limit: 300)
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      guard clinux_errno() == ENOENT || clinux_errno() == ENOTDIR || clinux_errno() == EACCES else {
        throw .system("look at \(what) \(shown)")
      }
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.usage, "\(what) is not a plain file: \(shown)", hint: "a server reads no pipes and devices")
    }
  }
}
