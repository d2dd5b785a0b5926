import Foundation
import TestSupport
import Testing

/// The sign-in with curl of docs/BACKEND.md, as a reader runs it.
@Suite struct SignInByHandTests {
  @Test func everyStepAnswersAsThePageSays() throws {
    let steps = try Guide.commands(of: "BACKEND.md", below: "A sign-in by hand")
    try #require(steps.count == 8)
    // "Sign in again, by the three steps from 'The app begins'."
    let all = steps[0...6] + steps[1...3] + [steps[7]]
    let sandbox = try Sandbox()
    try sandbox.write("guide", Guide.script(Array(all), port: DeadPort().port))
    let result = try run(["bash", "guide"], in: sandbox)
    let log = try String(contentsOfFile: sandbox("log.json"), encoding: .utf8)
    try #require(result.status == 0, "\(result.text)\(result.errorText)\(log)")
    let answers = Guide.answers(result.text)
    try #require(answers.count == 11, "\(result.text)")
    for begins in [1, 7] {
      #expect(answers[begins] == "200\n")
      #expect(
        answers[begins + 1].hasPrefix("303 http://127.0.0.1/callback?code=...&state=(as sent)&iss=http%3A%2F%2F127"))
      #expect(answers[begins + 2].hasPrefix("200\n{\"access_token\":\"...\""), "\(answers[begins + 2])")
      for part in [#""token_type":"Bearer""#, #""refresh_token":"...""#, #""id_token":"...""#] {
        #expect(answers[begins + 2].contains(part), "\(answers[begins + 2])")
      }
    }
    #expect(
      answers[4].contains(#""preferred_username":"alice""#) && answers[4].contains(#""sub":"user_"#), "\(answers[4])")
    #expect(answers[5] == "200\n")
    #expect(answers[6].components(separatedBy: #""error":"invalid_grant""#).count == 3, "\(answers[6])")
    #expect(answers[6].contains(#""event":"refresh.refused","reason":"replay""#), "\(answers[6])")
    let end = answers[10].split(separator: "\n")
    try #require(end.count == 3, "\(answers[10])")
    #expect(end[0] == "200" && end[1].contains(#""error":"invalid_grant""#) && end[2] == "401")
    let password = try String(contentsOfFile: sandbox("typed"), encoding: .utf8)
    let said = result.text + log
    #expect(!said.contains(password) && !said.contains("mfr_"), "a secret is shown")
  }
}
