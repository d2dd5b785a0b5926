internal import CLinux
internal import CSandbox
internal import Glibc
internal import StrategyRunner

/// The libraries that a plugin may be linked with beyond those this program has loaded itself: parts of the Swift runtime.
/// They are opened before the sandbox stands, and only the loader, only while it loads, can get at them.
enum PermittedLibraries {
  private static let names: [StaticString] = [
    "libswift_Concurrency.so", "libswift_StringProcessing.so", "libswift_RegexParser.so", "libswiftSynchronization.so",
    "libswift_Builtin_float.so", "libswiftSwiftOnoneSupport.so", "lib_FoundationICU.so", "libFoundationEssentials.so",
    "libswiftGlibc.so", "libdispatch.so", "libBlocksRuntime.so",
  ]

  /// Opens those that stand beside this process's own Swift runtime. One that is missing is not offered.
  static func offer() throws(Ending) {
    // Any symbol of libswiftCore.so tells where it was loaded from.
    let directory = unsafe csandbox_open_directory_of("swift_retain")
    guard directory >= 0 else { throw .refused("the Swift runtime was not found") }
    defer { close(directory) }
    for name in names {
      let text = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
      let library = unsafe clinux_openat(directory, text, O_RDONLY | O_CLOEXEC, 0)
      guard library >= 0 else { continue }
      unsafe csandbox_offer(text, library)
    }
  }
}
