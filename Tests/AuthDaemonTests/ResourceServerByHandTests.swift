import Foundation
import TestSupport
import Testing

/// What a resource server asks with curl in docs/BACKEND.md, as a reader runs it.
@Suite struct ResourceServerByHandTests {
  @Test func everyStepAnswersAsThePageSays() throws {
    let signIn = try Guide.commands(of: "BACKEND.md", below: "A sign-in by hand")
    let steps = try Guide.commands(of: "BACKEND.md", below: "Resource servers")
    try #require(signIn.count == 8 && steps.count == 2)
    let sandbox = try Sandbox()
    // "With the server and the tokens": to the exchange, and what reads an answer's fields.
    try sandbox.write("guide", Guide.script(signIn[0...3] + steps, port: DeadPort().port))
    let result = try run(["bash", "guide"], in: sandbox)
    try #require(result.status == 0, "\(result.text)\(result.errorText)")
    let answers = Guide.answers(result.text)
    try #require(answers.count == 6, "\(result.text)")
    let before = answers[4].split(separator: "\n"), after = answers[5].split(separator: "\n")
    try #require(before.count == 2 && after.count == 2, "\(result.text)")
    #expect(before[0].contains(#""active":true"#) && before[0].contains(#""aud":"api""#), "\(before[0])")
    #expect(!before[1].contains("sess_"), "\(before[1])")
    #expect(after[0] == #"{"active":false}"#, "\(after[0])")
    #expect(after[1].contains("sess_"), "\(after[1])")
    let secret = try String(contentsOfFile: sandbox("orders.secret"), encoding: .utf8).trimmingCharacters(in: .newlines)
    #expect(!secret.isEmpty && !result.text.contains(secret) && !result.errorText.contains(secret))
  }
}
