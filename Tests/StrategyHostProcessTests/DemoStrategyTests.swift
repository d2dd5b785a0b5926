internal import Basics
internal import StrategyWire
internal import Testing

@Suite("The strategy demo")
struct DemoStrategyTests {
  private func login(_ identifier: String?, _ answer: @escaping ScriptedParent.Answer) throws -> Ended {
    let parent = ScriptedParent()
    parent.answer = answer
    return try parent.run(
      BuiltFiles.demo, .init(strategy: "demo", operation: 1, timeout: 10_000, identifier: identifier, settings: [:]))
  }

  @Test("any name signs in, without a question", arguments: Surroundings.all)
  func given(surroundings: Surroundings) throws {
    let parent = ScriptedParent()
    parent.surroundings = surroundings
    let ended = try parent.run(
      BuiltFiles.demo, .init(strategy: "demo", operation: 1, timeout: 10_000, identifier: " Zoë ", settings: [:]))
    #expect(ended.result == ["session": .text("none"), "identifier": .text("Zoë")])
    #expect(ended.status == 0)
  }

  @Test("without one it asks")
  func asked() throws {
    var questions: [WireRecord] = []
    let ended = try login(nil) { call, fields in
      #expect(call == .prompt)
      questions.append(fields)
      return (.ok, ["text": .text("bob"), "empty": .boolean(false)])
    }
    #expect(questions == [["text": .text("Email or username"), "secret": .boolean(false)]])
    #expect(ended.result?.text("identifier") == "bob")
  }

  @Test("an empty name, nobody to ask and a refusal are failures of their own")
  func refused() throws {
    #expect(try login("  ") { _, _ in (.internal, [:]) }.failure?.reason == 2)
    #expect(
      try login(nil) { _, _ in (.nobody, ["message": .text("no terminal")]) }.failure
        == .init(reason: 3, message: "no terminal"))
    #expect(try login(nil) { _, _ in (.cancelled, ["message": .text("cancelled")]) }.failure?.reason == 8)
    #expect(try login(nil) { _, _ in (.denied, [:]) }.failure?.reason == 9)
    #expect(try login(nil) { _, _ in (.ok, [:]) }.failure?.reason == 10)
  }

  @Test("it has no other operation")
  func operations() throws {
    let others: [(UInt32, String)] = [(0, "0"), (2, "'refresh'"), (3, "'logout'"), (4, "4"), (.max, "4294967295")]
    for (operation, name) in others {
      let ended = try ScriptedParent().run(
        BuiltFiles.demo, .init(strategy: "demo", operation: operation, timeout: 10_000, identifier: "a", settings: [:]))
      #expect(ended.refused == "it has no operation \(name), though its manifest says so")
    }
  }
}
