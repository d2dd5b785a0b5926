import Basics
import Settings
import Testing

@Suite struct ExpansionTests {
  @Test(arguments: [
    ("A=$B\nB=1\n", "1"), ("A=${B}\nB=1\n", "1"), ("A=${B\nB=1\n", "1"), ("A=$B}\nB=1\n", "1"),
    ("A=x${N:-d}y\n", "xdy"), ("A=x${N-d}y\n", "xdy"), ("A=$N-d y\n", "d y"), ("A=${N:-}\n", ":-}"),
    ("A=${N:-pre-${B}}\nB=1\n", "pre-${B}"), ("A=${N:-${M:-${B}}}\nB=1\n", "1"), ("A=${N:-$B}\nB=1\n", "1"),
    ("A=\\$B\nB=1\n", "$B"), ("A=\\\\$B\nB=1\n", "$B"), ("A=$$B\nB=1\n", "$1"), ("A=$(B)\nB=1\n", "$(B)"),
    ("A=${B:+x}\nB=1\n", "1:+x}"), ("A=$B.c\nB=1\n", ""), ("A=$1\n1=x\n", "x"), ("A=${ B }\nB=1\n", "${ B }"),
    ("A=`$B`\nB=1\n", "1"), ("A=${A}x\n", "x"),
  ])
  func aReferenceIsReplaced(text: String, expected: String) throws {
    #expect(try values(text)["A"] == expected)
  }

  @Test func keysAreExpandedInTheReadersOrder() throws {
    // A comes first, so its escape is gone when Z sees it; with the names the other way round it is not.
    #expect(try values("A=\\$B\nB=1\nZ=$A\n")["Z"] == "1")
    #expect(try values("Z=\\$B\nB=1\nA=$Z\n")["A"] == "$B")
  }

  @Test func theProcessEnvironmentCounts() throws {
    let files = stack((".env", "H=file\nU=x/$H\nP=$Q\nE=${N:-d}\n"))
    #expect(try values(files, environment: ["H": "shell"])["U"] == "x/shell")
    #expect(try values(files, environment: ["H": "shell"])["H"] == "shell")
    // A variable that is set and empty wins for itself, and is left aside by references.
    #expect(try values(files, environment: ["H": ""])["H"] == "")
    #expect(try values(files, environment: ["Q": "a$H"])["P"] == "afile")
    #expect(try values(files, environment: ["N": ""])["E"] == "d")
    // What the process has is not expanded for the app itself.
    #expect(try values(files, environment: ["H": "\\$Q"])["H"] == "\\$Q")
  }

  @Test(arguments: ["A=$B\nB=$A\n", "A=${N:-$B}\nB=$A\n", "A=x\nB=$C\nC=$D\nD=$B$A\n"])
  func aCircleIsRefused(text: String) {
    #expect(throws: Failure(.configuration, "")) { try values(text) }
  }

  @Test func aProcessVariableThatRefersToItselfIsRefused() {
    #expect(throws: Failure(.configuration, "")) { try values("H=1\nA=$H\n", environment: ["H": "$H"]) }
  }

  @Test(arguments: [false, true])
  func aLongChainIsFollowed(reversed: Bool) throws {
    let count = 10_000
    var lines = (0..<count).map { "L\($0)=${L\($0 + 1)}" }
    lines.append("L\(count)=end")
    if reversed { lines.reverse() }
    let result = try values(lines.joined(separator: "\n"))
    #expect(result.count == count + 1)
    #expect(result.values.allSatisfy { $0 == "end" })
  }

  @Test func aLongCircleIsReportedOnce() throws {
    let count = 10_000
    let text = (0..<count).map { "L\($0)=${L\(($0 + 1) % count)}" }.joined(separator: "\n")
    #expect(try findings(text).map(\.rule) == [.referenceCycle])
  }

  @Test func whatGrowsWithoutEndIsRefused() {
    // 2^40 copies of three letters.
    let lines = ["L0=lol"] + (1...40).map { "L\($0)=${L\($0 - 1)}${L\($0 - 1)}" }
    #expect(throws: Failure(.configuration, "")) { try values(lines.joined(separator: "\n")) }
    #expect(throws: Failure(.configuration, "")) { try values(lines.reversed().joined(separator: "\n")) }
  }

  @Test(arguments: ["$NOTHING", "\\$x"])
  func whatGrowsToNothingIsNothing(seed: String) throws {
    let lines = ["L0=\(seed)"] + (1...40).map { "L\($0)=${L\($0 - 1)}${L\($0 - 1)}" }
    #expect(try values(lines.joined(separator: "\n"))["L40"] == "")
  }

  @Test func deeplyNestedDefaultsDoNotOverflow() throws {
    func nested(_ depth: Int) -> String {
      "A=" + String(repeating: "${N:-", count: depth) + "x" + String(repeating: "}", count: depth)
    }
    #expect(try values(nested(1_000))["A"]?.hasPrefix("x") == true)
    // Each level looks through the rest once more, so that this would take hours.
    #expect(throws: Failure(.configuration, "")) { try values(nested(100_000)) }
    #expect(try values("A=" + String(repeating: "$", count: 1_000_000))["A"]?.utf8.count == 1_000_000)
  }
}
