internal import Basics

extension Failure {
  /// This failure with a next step, where it has none.
  func hinting(_ hint: String) -> Failure { self.hint == nil ? Failure(code, message, hint: hint) : self }

  /// This failure to make something at a path, with what to do about it; `option` says what it is to be made at, such as
  /// `--output DIR`.
  func hinting(toMake path: some StringProtocol, option: String) -> Failure {
    let bytes = Array(path.utf8)
    // The slash alone is a folder that is there.
    guard code == .notFound, let slash = bytes.lastIndex(of: 0x2F), slash > 0 else {
      return hinting("give \(option) where you may write, and where there is room")
    }
    let folder = OutsideText.clean(bytes: bytes[..<slash], limit: 300)
    return hinting("make the folder \(folder) first, or give another \(option)")
  }
}
