internal import Basics

extension Layers {
  /// The mode that was probably meant by one that nothing knows: neither Expo, nor the catalog, nor a file of the app's
  /// folder (nil to look at none). Nil when the mode is known or nothing is near to it.
  ///
  /// Any name is a mode, so a mistyped one is not refused; it reads `.env` alone and finds little wrong.
  public static func likelyMode(for mode: String, directory: String?, catalog: Catalog) -> String? {
    let declared = catalog.settings.flatMap(\.modes.keys).sorted()
    guard !modes.contains(mode), !declared.contains(mode) else { return nil }
    let ofFiles = directory.map { EnvFolder.modes(directory: $0) } ?? []
    guard !ofFiles.contains(mode) else { return nil }
    return EditDistance.suggestion(for: mode, among: modes + declared + ofFiles)
  }
}
