import Foundation
import TestSupport
import Testing

/// libsecret is loaded when a vault is in the keyring, and by nobody else.
@Suite struct LateLoadingTests {
  /// What the loader would bind at the start of the program, told as `ldd` has it told.
  @Test func aStartLoadsNoLibraryOfTheKeyring() throws {
    let sandbox = try Sandbox()
    let listed = try run(["sh", "-c", "LD_TRACE_LOADED_OBJECTS=1 exec mfsctl-full"], in: sandbox)
    #expect(listed.text.contains("libcurl.so"), "\(listed.text)\(listed.errorText)")
    for library in ["libsecret", "libglib", "libgio", "libgobject", "libstdc++"] {
      #expect(!listed.text.contains(library), "\(library) is loaded at each start")
    }
  }

  /// A library that cannot be loaded is a backend that is not available, and nothing is put elsewhere.
  @Test func aLibraryThatCannotBeLoadedIsExit23() throws {
    let sandbox = try Sandbox()
    try FileManager.default.createDirectory(atPath: sandbox("broken"), withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: sandbox("broken/libsecret-1.so.0")))
    let result = try run(
      ["mfsctl-full", "vault", "init", "--backend", "secret-service"], in: sandbox,
      environment: ["LD_LIBRARY_PATH": sandbox("broken")])
    #expect(result.status == 23, "\(result.errorText)")
    #expect(result.errorText.contains("cannot load libsecret: "))
    #expect(result.errorText.contains("apt-get install libsecret-1-0"))
    let made = FileManager.default.enumerator(atPath: sandbox("home"))?.compactMap { $0 as? String } ?? []
    #expect(!made.contains { $0.hasSuffix(".mfsv") }, "\(made)")
  }
}
