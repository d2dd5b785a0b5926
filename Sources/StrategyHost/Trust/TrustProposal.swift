public import Basics

/// What trusting a plugin would give it, for a person to look at before it is done. Nothing of its code has run.
public struct TrustProposal {
  /// The plugin.
  public let entry: StrategyCatalogue.Entry
  /// What it says about itself and asks for.
  public let manifest: StrategyManifest
  /// What it asks for beyond what the user granted it before; all of it when that was nothing.
  public let added: [String]
  /// Whether exactly this is trusted already.
  public let isKnown: Bool
  /// Whether a plugin of this name was trusted before.
  public let isUpdate: Bool
  /// The key that will vouch for later versions; nil when none will.
  public var publicKey: MinisignPublicKey? { pin.publicKey }
  let pin: StrategyPin
  let config: String
}

extension StrategyCatalogue {
  /// What trusting a plugin's library would give it. `publicKey` is the publisher's, whose signature must stand beside the
  /// library then. A key that was pinned before stays for as long as it has signed these files too.
  ///
  /// Throws ``FailureCode/pluginRefused`` when anything speaks against the plugin but that nobody has trusted it yet, or the
  /// signature is not that key's; ``FailureCode/usage`` for one of mfsctl's own; ``FailureCode/notFound``.
  public func trustProposal(file: String, publicKey: MinisignPublicKey?) throws(Failure) -> TrustProposal {
    var inspection = try inspectUntrusted(file: file)
    guard !inspection.folder.isBuiltin else {
      throw Failure(.usage, "'\(inspection.name)' comes with mfsctl, which trusts its own plugins")
    }
    guard let config = locations.config else { throw Failure(.bug, "there is no config directory to pin in") }
    let before = try StrategyTrust(folder: config)[inspection.name]
    let folder = try TrustedFolder(inspection.path, owners: inspection.folder.owners)
    guard let library = inspection.library, let manifest = inspection.manifest, let digest = inspection.manifestDigest
    else { throw Failure(.bug, "a plugin without problems has no library") }
    var key: MinisignPublicKey?
    if let publicKey {
      try inspection.signed(in: folder).check(library, digest, by: publicKey)
      key = publicKey
    } else if let kept = before?.publicKey, let published = try? inspection.readSignature(folder),
      (try? published.check(library, digest, by: kept)) != nil
    {
      key = kept
    }
    let pin = StrategyPin(
      name: inspection.name, version: manifest.version, library: library.digest, manifest: digest,
      grants: Set(manifest.scope), publicKey: key, signedAt: key == nil ? nil : inspection.published?.signedAt)
    return TrustProposal(
      entry: inspection.entry, manifest: manifest,
      added: manifest.scope.filter { before?.grants.contains($0) != true }, isKnown: pin == before,
      isUpdate: before != nil, pin: pin, config: config)
  }

  /// Looks at a plugin's library that nobody has to have trusted. Throws ``FailureCode/pluginRefused`` when anything else
  /// speaks against it. With `sanitizer` it may need the runtime of one, as nothing that is run for a user may.
  func inspectUntrusted(file: String, sanitizer: Bool = false) throws(Failure) -> StrategyInspection {
    let inspection = try StrategyCatalogue(locations.trustingNobody).inspect(file: file)
    let allowed = sanitizer ? Sanitizer.runtimes.map { ELFPolicy.needing($0, inspection.name.library) } : []
    let problems = inspection.problems.filter { $0 != StrategyInspection.unpinned && !allowed.contains($0) }
    guard problems.isEmpty else {
      throw Failure(
        .pluginRefused, "the plugin '\(inspection.name)' is refused: \(problems.joined(separator: "; "))",
        hint: inspection.isExposed ? StrategyInspection.exposedRemedy : "see docs/PLUGINS.md")
    }
    return inspection
  }

  /// Trusts what a person has looked at. Throws ``FailureCode/permissions``, ``FailureCode/inputOutput``.
  public func trust(_ proposal: TrustProposal) throws(Failure) {
    try StrategyTrust.change(folder: proposal.config) { pins in
      pins.removeAll { $0.name == proposal.pin.name }
      pins.append(proposal.pin)
    }
  }

  /// Trusts a plugin no more, and returns whether the user did. Throws ``FailureCode/usage`` for one of mfsctl's own or what
  /// is no name.
  public func untrust(_ text: String) throws(Failure) -> Bool {
    guard let name = StrategyName(text), !name.isReserved else {
      let shown = OutsideText.clean(text, limit: 60)
      throw StrategyName(text) == nil
        ? Failure(.usage, "'\(shown)' is not the name of a plugin", hint: "NAME is 1 to 32 of a-z 0-9 _")
        : Failure(.usage, "'\(shown)' comes with mfsctl, which trusts its own plugins")
    }
    guard let config = locations.config else { throw Failure(.bug, "there is no config directory to pin in") }
    var wasTrusted = false
    try StrategyTrust.change(folder: config) { pins in
      wasTrusted = pins.contains { $0.name == name }
      pins.removeAll { $0.name == name }
    }
    return wasTrusted
  }
}

extension StrategyInspection {
  static let unpinned = "nobody has said that it can be trusted"
  static let exposedRemedy =
    "have it in a folder that is yours or root's and that nobody else can change: of what is your own, 'chmod go-w' takes that away"

  /// The signature, which must be there.
  fileprivate mutating func signed(in folder: borrowing TrustedFolder) throws(Failure) -> PublishedVersion {
    if let published = try readSignature(folder) { return published }
    throw Failure(
      .pluginRefused, "there is no signature \(name.signature) beside the library",
      hint: "get it from the publisher, or trust these files alone, without --public-key")
  }
}

extension StrategyLocations {
  /// The same, where nobody has trusted anything and no lock file outside the toolkit's own folder counts.
  fileprivate var trustingNobody: StrategyLocations {
    StrategyLocations(
      folders: folders.map {
        $0.isBuiltin ? $0 : Folder(path: $0.path, isBuiltin: false, owners: $0.owners, isLocked: false)
      }, runner: runner)
  }
}
