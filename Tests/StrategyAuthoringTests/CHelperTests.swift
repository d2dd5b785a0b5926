import Foundation
import TestSupport
import Testing

/// The helpers for plugins in C, called by a program of their own under the sanitizers.
@Suite struct CHelperTests {
  @Test(arguments: ["-std=c11", "-std=gnu17"]) func theHelpersDoWhatTheySay(standard: String) throws {
    let sandbox = try Sandbox()
    let source = try #require(Bundle.module.path(forResource: "helpers", ofType: "c", inDirectory: "Resources"))
    let built = try run(
      [
        "gcc", standard, "-g", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all", "-I\(Programs.checkout)/Sources/StrategyPlugins/ABI/include", "-o",
        sandbox("helpers"), source,
      ], in: sandbox)
    try #require(built.status == 0, "\(built.errorText)")
    let result = try run([sandbox("helpers")], in: sandbox)
    #expect(result.status == 0 && result.text == "done\n", "\(result.text)\(result.errorText)")
  }

  @Test func theSizesInTheRustModuleAreTheHeaders() throws {
    // Each structure of the module, field by field in the header's order.
    let module = try String(
      contentsOfFile: "\(Programs.checkout)/Sources/StrategyPlugins/Rust/abi.rs", encoding: .utf8)
    let header = try String(
      contentsOfFile: "\(Programs.checkout)/Sources/StrategyPlugins/ABI/include/mfs_strategy.h", encoding: .utf8)
    let pairs = [
      ("Slice", "mfs_slice"), ("Record", "mfs_record"), ("Pair", "mfs_pair"), ("Receiver", "mfs_receiver"),
      ("Host", "mfs_host"), ("Failure", "mfs_failure"), ("Sink", "mfs_sink"), ("Call", "mfs_call"),
      ("Strategy", "mfs_strategy"),
    ]
    for (rust, c) in pairs {
      let mine = fields(of: module, "pub struct \(rust) {", /pub (\w+):/)
      let theirs = fields(of: header, "typedef struct \(c) {", /(?:\(\*MFS_\w+ |[ *])(\w+)(?:\)\([^;]*)?;/)
      #expect(!mine.isEmpty && mine == theirs, "\(rust)")
    }
  }

  private func fields(of text: String, _ start: String, _ pattern: Regex<(Substring, Substring)>) -> [String] {
    guard let begin = text.range(of: start), let end = text.range(of: "\n}", range: begin.upperBound..<text.endIndex)
    else { return [] }
    let body = text[begin.upperBound..<end.lowerBound].replacing(/\/\*[\s\S]*?\*\//, with: "")
    return body.split(separator: /;|,\n/).compactMap { part in
      (part + ";").firstMatch(of: pattern).map { String($0.1) }
    }
  }
}
