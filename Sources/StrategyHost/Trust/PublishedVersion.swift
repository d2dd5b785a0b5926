internal import Basics

/// What a publisher's signature beside a library says. It is over the library; its trusted comment names the manifest's digest, so that
/// nobody can put a library and a manifest together that the publisher did not.
///
/// The comment's fields, separated by tabs or blanks: `manifest:blake2b-256:HEX`, and, where they are there, `timestamp:SECONDS`
/// and `file:NAME`.
struct PublishedVersion {
  private let signature: MinisignSignature
  private let file: String
  /// The manifest's digest.
  let manifest: FileDigest
  /// Seconds since 1970 as the signature has them; nil when it has none.
  let signedAt: Int64?

  /// Reads the signature of a plugin's library. Throws ``FailureCode/pluginRefused``.
  init(parsing bytes: [UInt8], of name: StrategyName) throws(Failure) {
    file = name.signature
    signature = try MinisignSignature(parsing: bytes, name: file)
    let fields = signature.comment.split { $0 == "\t" || $0 == " " }
    func field(_ key: String) -> Substring? {
      fields.first { $0.hasPrefix(key + ":") }?.dropFirst(key.count + 1)
    }
    guard let text = field("manifest"), text.hasPrefix("\(FileDigest.algorithm):"),
      let digest = FileDigest(hex: text.dropFirst(FileDigest.algorithm.count + 1))
    else {
      throw Failure(
        .pluginRefused, "\(file) does not say which manifest belongs to the library",
        hint: "the publisher has to sign it with 'mfsctl strategy sign', or as docs/PLUGINS.md has it for minisign")
    }
    if let named = field("file"), named != name.library {
      throw Failure(
        .pluginRefused, "\(file) is the signature of another file, \(OutsideText.clean(named, limit: 80))",
        hint: "get the right one from the publisher")
    }
    manifest = digest
    signedAt = field("timestamp").flatMap { Int64($0) }
  }

  /// Checks that a key signed this library with this manifest. Throws ``FailureCode/pluginRefused``.
  func check(_ library: SealedImage, _ manifest: FileDigest, by key: MinisignPublicKey) throws(Failure) {
    guard signature.keyID == key.id else {
      throw Failure(
        .pluginRefused, "\(file) was made with the key \(signature.keyID), not with \(key.idText)",
        hint: "ask the publisher; a new key has to be given with 'mfsctl strategy trust --public-key FILE'")
    }
    let digest = unsafe library.withBytes { unsafe MinisignSignature.digest(of: $0) }
    guard signature.isValid(of: digest, by: key) else {
      throw Failure(
        .pluginRefused, "\(file) is not the signature of this library: one of them changed",
        hint: "get both again from the publisher")
    }
    guard self.manifest.equals(manifest) else {
      throw Failure(
        .pluginRefused, "the manifest is not the one that was signed with this library",
        hint: "get both again from the publisher")
    }
  }

  /// The comment to sign with a library.
  static func comment(_ name: StrategyName, manifest: FileDigest, at time: Timestamp) -> String {
    "timestamp:\(time.seconds)\tfile:\(name.library)\thashed\tmanifest:\(FileDigest.algorithm):\(manifest)"
  }
}

extension StrategyName {
  /// `libmfs-strategy-NAME.so.minisig`.
  var signature: String { library + ".minisig" }
}
