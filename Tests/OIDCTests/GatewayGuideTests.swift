import Foundation
import TestSupport
import Testing

/// How docs/BACKEND.md has a gateway take the tokens of one's own `mfs-authd`, as a reader does it, with the lab for a gateway.
@Suite struct GatewayGuideTests {
  /// Runs the page's steps and then `more`; `change` is what this reader does otherwise.
  private func follow(
    _ more: String = "", change: (String) -> String = { $0 }
  ) throws -> (result: RunResult, answers: [String], sandbox: Sandbox) {
    let steps = try Guide.commands(of: "BACKEND.md", below: "A gateway")
    try #require(steps.count == 2)
    let sandbox = try Sandbox()
    // Whoever has a browser types the password, without the line end that its file has.
    try sandbox.write(
      "browser", "#!/bin/sh\ntr -d '\\n' < alice.password > typed\nexec python3 '\(Device.personProgram)' \"$1\"\n",
      mode: 0o755)
    try sandbox.write("guide", change(Guide.script(steps + [more], port: DeadPort().port)))
    let result = try run(
      ["bash", "guide"], in: sandbox,
      environment: [
        "BROWSER": sandbox("browser"), "PERSON_PASSWORD": sandbox("typed"), "PERSON_NOTES": sandbox("notes"),
      ])
    return (result, Guide.answers(result.text), sandbox)
  }

  private func logs(_ sandbox: Sandbox) -> String {
    ["log.json", "lab.log", "login.log", "notes"].map { name in
      (try? String(contentsOfFile: sandbox(name), encoding: .utf8)).map { "\(name):\n\($0)" } ?? ""
    }.joined()
  }

  @Test func theGatewayTakesThemForTheUserOfThatName() throws {
    let (result, answers, sandbox) = try follow("mfsctl --json session status\n")
    try #require(result.status == 0, "\(result.text)\(result.errorText)\(logs(sandbox))")
    try #require(answers.count == 3)
    #expect(answers[1].contains("Signed in as alice with oidc_code."), "\(answers[1])")
    #expect(answers[1].contains("Only who is signed in can read this."), "\(answers[1])")
    #expect(answers[2].contains(#""employeeId":"E-17""#), "\(answers[2])")
  }

  /// Without the claim there is nobody whom the gateway could mean.
  @Test func withoutTheNameNobodyIsSignedIn() throws {
    let (result, _, sandbox) = try follow { $0.replacing(" --claim preferred_username=alice", with: "") }
    #expect(result.status != 0 && result.errorText.contains("Invalid login"), "\(result.errorText)\(logs(sandbox))")
  }

  /// The client may not use the device grant: that is said, and the address is shown. What grant it lacks later is said too.
  @Test func whereTheClientGetsNoDeviceCodeTheAddressIsShown() throws {
    let byHand = """
      mfsctl session login --no-browser 2> login.log & login=$!
      until grep -q redirect_uri= login.log || ! kill -0 $login; do sleep 0.1; done
      "$BROWSER" "$(grep -o 'http://[^ ]*redirect_uri=[^ ]*' login.log)"
      wait $login

      """
    let (result, answers, sandbox) = try follow(
      """
      mfs-authd client add mfs --replace --redirect-uri http://127.0.0.1/callback --grant authorization_code
      mfsctl session refresh || echo "exit $?"

      """
    ) { $0.replacing("mfsctl session login\n", with: byHand) }
    let log = logs(sandbox)
    try #require(result.status == 0, "\(result.text)\(result.errorText)\(log)")
    #expect(answers[1].contains("Signed in as alice with oidc_code."), "\(answers[1])")
    #expect(
      log.contains("Asking in the browser's page instead:") && log.contains("(unauthorized_client)."), "\(log)")
    #expect(answers[2].contains("exit 63"), "\(answers[2])")
    #expect(
      result.errorText.contains("use the grant refresh_token: register the client for it there"), "\(result.errorText)")
  }
}
