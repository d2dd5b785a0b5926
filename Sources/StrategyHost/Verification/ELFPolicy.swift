internal import Basics

/// What a plugin's library may look like. Its constructors run as soon as it is loaded, so this is asked before.
enum ELFPolicy {
  /// Why a library cannot be loaded; empty when it can. `trustsFolder` says whether only trusted users can change a folder.
  static func problems(of bytes: UnsafeRawBufferPointer, _ name: String, trustsFolder: (String) -> Bool) -> [String] {
    let image: ELFImage
    do throws(ELFImage.Unreadable) { image = try unsafe ELFImage(bytes) } catch {
      return ["\(name) cannot be loaded: \(error.reason)"]
    }
    var found: [String] = []
    if image.machine != ownMachine { found.append("\(name) is for another kind of machine") }
    if image.hasExecutableStack { found.append("\(name) asks for an executable stack") }
    if image.hasWritableCode { found.append("\(name) has code that can be changed while it runs") }
    if image.hasTextRelocations { found.append("\(name) has text relocations") }
    if image.hasLoaderHooks { found.append("\(name) asks the loader for an audit or filter library") }
    for library in image.needed where !allowed.contains(library) {
      found.append(needing(library, name))
    }
    for path in image.searchPaths where !isAllowed(path, trustsFolder) {
      found.append("\(name) looks for libraries in '\(OutsideText.clean(path, limit: 200))'")
    }
    return found
  }

  /// Why a library cannot be loaded that needs this one.
  static func needing(_ library: String, _ name: String) -> String {
    "\(name) needs the library \(OutsideText.clean(library, limit: 100)), which plugins may not use"
  }

  // The folder of the toolchain's runtime stands in everything it builds; it counts when only trusted users can change it.
  private static func isAllowed(_ path: String, _ trustsFolder: (String) -> Bool) -> Bool {
    path == "$ORIGIN" || path.hasPrefix("/") && path.hasSuffix("/lib/swift/linux") && trustsFolder(path)
  }

  #if arch(x86_64)
    private static let ownMachine: UInt16 = 62
  #else
    private static let ownMachine: UInt16 = 183
  #endif

  /// The C and C++ runtimes, and Swift's without networking.
  private static let allowed: Set<String> = [
    "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1", "libstdc++.so.6", "libgcc_s.so.1", "libswiftCore.so", "libswiftGlibc.so",
    "libswiftSwiftOnoneSupport.so", "libswiftSynchronization.so", "libswiftObservation.so", "libswiftDispatch.so",
    "libswiftRegexBuilder.so", "libswiftDistributed.so", "libswift_Concurrency.so", "libswift_StringProcessing.so",
    "libswift_RegexParser.so", "libswift_Builtin_float.so", "libswift_Differentiation.so", "libswift_Volatile.so",
    "libswiftRuntime.so", "libdispatch.so", "libBlocksRuntime.so", "libFoundation.so", "libFoundationEssentials.so",
    "libFoundationInternationalization.so", "lib_FoundationICU.so",
  ]
}
