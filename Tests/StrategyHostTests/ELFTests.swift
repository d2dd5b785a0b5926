import Foundation
import Testing

@testable import StrategyHost

/// Libraries that are not loaded, and bytes that are none.
struct ELFTests {
  let folder: PluginFolder
  init() throws { folder = try PluginFolder() }

  /// Makes the library anew, pins it and returns what speaks against it.
  private func problems(_ code: String = "int probe(void) { return 1; }", _ flags: String...) throws -> [String] {
    try folder.compile(code, flags: flags)
    try folder.lock()
    return try folder.problems()
  }

  @Test func aPlainLibraryPasses() throws { #expect(try problems() == []) }

  @Test func anExecutableStackIsRefused() throws {
    #expect(
      try problems("int probe(void) { return 1; }", "-Wl,-z,execstack") == [
        "libmfs-strategy-probe.so asks for an executable stack"
      ])
  }

  @Test func writableCodeIsRefused() throws {
    let file = URL(fileURLWithPath: folder.path + "/libmfs-strategy-probe.so")
    var bytes = try Data(contentsOf: file)
    // The flags of the program header that loads the code: PT_LOAD, readable and executable.
    let code = try #require((0..<16).map { 64 + $0 * 56 }.first { bytes[$0] == 1 && bytes[$0 + 4] == 5 })
    bytes[code + 4] = 7
    try bytes.write(to: file)
    try folder.lock()
    #expect(try folder.problems() == ["libmfs-strategy-probe.so has code that can be changed while it runs"])
  }

  @Test(arguments: ["/tmp", "", "$ORIGIN/../lib", "relative", "$ORIGIN:/tmp", "/tmp/lib/swift/linux", "$LIB"])
  func aSearchPathIsRefused(path: String) throws {
    let found = try problems("int probe(void) { return 1; }", "-Wl,-rpath,\(path.isEmpty ? ":" : path)")
    #expect(!found.isEmpty && found.allSatisfy { $0.contains("looks for libraries in '") }, "\(found)")
    let old = try problems("int probe(void) { return 1; }", "-Wl,-rpath,/tmp", "-Wl,--disable-new-dtags")
    #expect(old == ["libmfs-strategy-probe.so looks for libraries in '/tmp'"])
  }

  @Test func theOriginIsNoProblem() throws {
    #expect(try problems("int probe(void) { return 1; }", "-Wl,-rpath,$ORIGIN") == [])
  }

  @Test func aForeignLibraryIsRefused() throws {
    #expect(
      try problems("int probe(void) { return 1; }", "-Wl,--no-as-needed", "-lcurl") == [
        "libmfs-strategy-probe.so needs the library libcurl.so.4, which plugins may not use"
      ])
    #expect(try problems("int probe(void) { return 1; }", "-Wl,--no-as-needed", "-lm") == [])
  }

  @Test func textRelocationsAreRefused() throws {
    // Code that holds an address, which the loader would have to write into it.
    let code = "__asm__(\".text\\n.globl f\\nf: .quad probe\\n\"); int probe(void) { return 1; }"
    #expect(
      try problems(code, "-Wl,-z,notext", "-Wl,-z,notext").contains {
        $0 == "libmfs-strategy-probe.so has text relocations"
      })
  }

  @Test(arguments: ["-Wl,--audit=/tmp/a.so", "-Wl,--filter=libm.so.6", "-Wl,--auxiliary=libm.so.6"])
  func loaderHooksAreRefused(flag: String) throws {
    #expect(
      try problems("int probe(void) { return 1; }", flag) == [
        "libmfs-strategy-probe.so asks the loader for an audit or filter library"
      ])
  }

  @Test func aProgramIsNoLibrary() throws {
    try PluginFolder.tool(
      ["gcc", "-no-pie", "-o", "libmfs-strategy-probe.so", "-x", "c", "-"].dropLast(3) + ["main.c"],
      in: try { () throws -> String in
        try folder.write("main.c", "int main(void) { return 0; }\n")
        return folder.path
      }())
    try folder.lock()
    #expect(try folder.problems() == ["libmfs-strategy-probe.so cannot be loaded: it is not a shared object"])
  }

  @Test(arguments: ["", "#!/bin/sh\n", "\u{7f}ELF", String(repeating: "x", count: 100_000)])
  func whatIsNotELF(text: String) throws {
    try folder.write("libmfs-strategy-probe.so", text)
    #expect(try !folder.problems().isEmpty)
  }

  @Test func anotherMachineIsSaidToBe() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/libmfs-strategy-probe.so"))
    bytes[18] = 0xF3
    try bytes.write(to: URL(fileURLWithPath: folder.path + "/libmfs-strategy-probe.so"))
    try folder.lock()
    #expect(try folder.problems() == ["libmfs-strategy-probe.so is for another kind of machine"])
  }

  @Test func everyTruncationIsRefusedOrHarmless() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/libmfs-strategy-probe.so")))
    // What describes the segments stands in the first 12 KiB of so small a library.
    for count in 0..<min(bytes.count, 12_288) {
      let found = unsafe bytes[..<count].withUnsafeBytes { unsafe ELFPolicy.problems(of: $0, "x") { _ in false } }
      #expect(!found.isEmpty, "\(count)")
    }
  }

  @Test func noMutationCrashesTheReader() throws {
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/libmfs-strategy-probe.so")))
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    // The header, the program headers and the dynamic section are where a change matters.
    let dynamic = original.indices.dropLast(16).first { index in
      index % 8 == 0 && original[index] == 0x0C && original[(index + 1)..<(index + 8)].allSatisfy { $0 == 0 }
        && index > 8_192
    }
    var verdicts: Set<Bool> = []
    for _ in 0..<5_000 {
      var bytes = original
      for _ in 0...random(4) {
        let index =
          switch random(3) {
          case 0: random(64)
          case 1: 64 + random(56 * 11)
          default: min(bytes.count - 1, (dynamic ?? 0) + random(512))
          }
        bytes[index] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(random(256))][random(6)]
      }
      let found = unsafe bytes.withUnsafeBytes { unsafe ELFPolicy.problems(of: $0, "x") { _ in false } }
      verdicts.insert(found.isEmpty)
    }
    // Both happen, or the mutations do not reach what is read. The seed makes a failure repeatable.
    #expect(verdicts == [true, false], "seed \(seed)")
  }
}
