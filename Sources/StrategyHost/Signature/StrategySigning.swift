public import Basics

/// Signs a plugin for those who trust its publisher's key.
public enum StrategySigning {
  /// Signs a library `libmfs-strategy-NAME.so` together with its manifest beside it, and writes the signature as the file
  /// with `.minisig` added, in the format of minisign. Returns that file's path.
  ///
  /// Throws ``FailureCode/usage`` for another file name, ``FailureCode/notFound``, ``FailureCode/pluginRefused`` when the
  /// manifest is none, ``FailureCode/inputOutput``.
  public static func sign(
    file path: String, with key: MinisignSecretKey, at time: Timestamp = .now()
  ) throws(Failure) -> String {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let file = String(path.dropFirst(folder.count))
    guard let name = StrategyName(library: file) else {
      throw Failure(
        .usage, "'\(OutsideText.clean(file, limit: 100))' is not the name of a plugin",
        hint: "name a file libmfs-strategy-NAME.so, NAME being 1 to 32 of a-z 0-9 _")
    }
    let library = try Files.read(path, limit: StrategyLimits.library)
    let manifest = try Files.read(folder + name.manifest, limit: StrategyLimits.manifest)
    _ = try StrategyManifest(parsing: manifest, of: name)
    let comment = PublishedVersion.comment(name, manifest: FileDigest(of: manifest), at: time)
    let digest = unsafe library.withUnsafeBytes { unsafe MinisignSignature.digest(of: $0) }
    let text = key.sign(digest, comment: comment).file(untrustedComment: "signature made by mfsctl")
    try Files.replace(folder + name.signature, with: Array(text.utf8), mode: 0o644)
    return folder + name.signature
  }
}
