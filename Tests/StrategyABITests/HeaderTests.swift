import CStrategyABI
import Foundation
import TestSupport
import Testing

@Suite("The C header")
struct HeaderTests {
  private static let include = "\(Programs.checkout)/Sources/StrategyPlugins/ABI/include"

  @Test(
    "compiles as plain C11, C17 and C++ without a warning",
    arguments: [
      ["gcc", "-std=c11", "-x", "c"], ["gcc", "-std=c17", "-x", "c"], ["g++", "-std=c++17", "-x", "c++"],
      ["clang", "-std=c11", "-x", "c"], ["clang", "-std=c17", "-x", "c"],
    ])
  func compiles(compiler: [String]) throws {
    let sandbox = try Sandbox()
    // Twice, to see that its guard works; nothing before it, to see that it stands on its own.
    let source = try sandbox.write("user.c", "#include <mfs_strategy.h>\n#include <mfs_strategy.h>\nint unused;\n")
    let flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", Self.include]
    // clang is the Swift toolchain's own, which stands on the PATH and not in /usr/bin.
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let result = try run(compiler + flags + [source], in: sandbox, environment: ["PATH": path])
    #expect(result.status == 0, "\(compiler[0]): \(result.errorText)")
  }

  @Test("the fingerprint is the header's digest")
  func fingerprint() throws {
    let sandbox = try Sandbox()
    let result = try run(["sha256sum", "\(Self.include)/mfs_strategy.h"], in: sandbox)
    // When this fails the header changed: write the new digest into mfs_strategy_fingerprint.h, and if the change is not
    // a comment, think of the plugins that were built with the old one.
    #expect(result.text.prefix(64) == MFS_STRATEGY_FINGERPRINT)
  }

  @Test("the sizes and places of version 1 do not move")
  func layout() {
    #expect(MemoryLayout<mfs_slice_t>.size == 16)
    #expect(MemoryLayout<mfs_record_t>.size == 16)
    #expect(MemoryLayout<mfs_pair_t>.size == 72)
    #expect(MemoryLayout<mfs_pair_t>.offset(of: \.kind) == 16)
    #expect(MemoryLayout<mfs_pair_t>.offset(of: \.secret) == 32)
    #expect(MemoryLayout<mfs_pair_t>.offset(of: \.list) == 56)
    #expect(MemoryLayout<mfs_host_t>.size == 72)
    #expect(MemoryLayout<mfs_host_t>.offset(of: \.get_extension) == 64)
    #expect(MemoryLayout<mfs_sink_t>.size == 32)
    #expect(MemoryLayout<mfs_failure_t>.size == 40)
    #expect(MemoryLayout<mfs_call_t>.size == 48)
    #expect(MemoryLayout<mfs_strategy_t>.size == 80)
    #expect(MemoryLayout<mfs_strategy_t>.offset(of: \.login) == 56)
    #expect(MemoryLayout<mfs_http_t>.size == 16)
    // Tables that have grown: what was there first stays where it was.
    #expect(MemoryLayout<mfs_vault_t>.offset(of: \.read) == 16)
    #expect(MemoryLayout<mfs_vault_t>.size == 32)
    #expect(MemoryLayout<mfs_prompt_t>.offset(of: \.ask) == 8)
    #expect(MemoryLayout<mfs_prompt_t>.size == 24)
    #expect(MemoryLayout<mfs_secret_extension_t>.offset(of: \.basic) == 24)
    #expect(MemoryLayout<mfs_secret_extension_t>.size == 40)
    #expect(MemoryLayout<mfs_timer_t>.size == 16)
    #expect(MemoryLayout<mfs_browser_t>.size == 24)
    #expect(MemoryLayout<mfs_oidc_t>.size == 24)
    #expect(MemoryLayout<mfs_receiver_t>.size == 24)
  }
}
