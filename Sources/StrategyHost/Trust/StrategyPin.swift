internal import Basics

/// That a user trusts a plugin: exactly these files, or those that a publisher signs, with these grants.
struct StrategyPin: Sendable, Equatable {
  let name: StrategyName
  /// The version that was looked at; only ever shown.
  let version: String
  let library: FileDigest
  let manifest: FileDigest
  /// What the user granted: the manifest's ``StrategyManifest/scope`` at that time.
  let grants: Set<String>
  /// The key that vouches for later versions; nil when none does.
  let publicKey: MinisignPublicKey?
  /// When the files were signed, by their signature's word: an older signature is not accepted any more.
  let signedAt: Int64?

  /// The entry for it in the file.
  var document: JSONValue {
    [
      "name": .string(name.text), "version": .string(version), "library": .string("\(FileDigest.algorithm):\(library)"),
      "manifest": .string("\(FileDigest.algorithm):\(manifest)"), "grants": .strings(grants.sorted()),
      "publicKey": .optional(publicKey?.description), "signedAt": signedAt.map { .integer($0) } ?? .null,
    ]
  }

  init(
    name: StrategyName, version: String, library: FileDigest, manifest: FileDigest, grants: Set<String>,
    publicKey: MinisignPublicKey?, signedAt: Int64?
  ) {
    self.name = name
    self.version = version
    self.library = library
    self.manifest = manifest
    self.grants = grants
    self.publicKey = publicKey
    self.signedAt = signedAt
  }

  /// Reads an entry; nil when any of it is not understood, and a member that is not known counts as that.
  init?(_ entry: JSONValue) {
    let known = ["name", "version", "library", "manifest", "grants", "publicKey", "signedAt"]
    guard let members = entry.members, members.count == known.count, members.allSatisfy({ known.contains($0.name) }),
      let name = entry["name"]?.string.flatMap({ StrategyName($0) }), let version = entry["version"]?.string,
      let library = StrategyPin.digest(entry["library"]), let manifest = StrategyPin.digest(entry["manifest"]),
      let grants = entry["grants"]?.strings
    else { return nil }
    switch entry["publicKey"] {
    case .null: publicKey = nil
    case .string(let text):
      guard let key = MinisignPublicKey(text: text) else { return nil }
      publicKey = key
    default: return nil
    }
    switch entry["signedAt"] {
    case .null: signedAt = nil
    case .integer(let time): signedAt = time
    default: return nil
    }
    self.name = name
    self.version = version
    self.library = library
    self.manifest = manifest
    self.grants = Set(grants)
  }

  private static func digest(_ value: JSONValue?) -> FileDigest? {
    let prefix = "\(FileDigest.algorithm):"
    guard let text = value?.string, text.hasPrefix(prefix) else { return nil }
    return FileDigest(hex: text.dropFirst(prefix.count))
  }
}

extension FileDigest: Equatable {
  static func == (a: FileDigest, b: FileDigest) -> Bool { a.equals(b) }
}

extension StrategyManifest {
  /// All that trusting the plugin gives it: its grants and, as `setting:NAME`, the settings that it is told.
  public var scope: [String] { settings.map { "setting:\($0.name)" } + grants }
}
