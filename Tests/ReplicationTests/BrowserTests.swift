import Foundation
import GatewayLab
import TestSupport
import Testing

/// An independent client of the lab: the package `websockets`, from Python.
@Suite("Python's websockets replicates from a page") struct BrowserTests {
  @Test func withAOneTimeSession() throws {
    let lab = try GatewayFixture { $0.options.origins = ["https://app.example.com"] }
    let session = try lab.signIn(query: "?one_time=true")
    let script = try #require(Bundle.module.url(forResource: "Peer/browser", withExtension: "py")).path
    let result = try run(
      [
        try PythonEnvironment().interpreter, "-B", script, "ws://127.0.0.1:\(lab.port)/mfs/_blipsync",
        "https://app.example.com", session, lab.lab.controlOrigin,
      ], in: try Sandbox())
    #expect(result.status == 0, "\(result.errorText)")
    #expect(
      result.text == """
        401 {"error":"Unauthorized","reason":"Login required"}
        open BLIP_3+CBMobile_3 True
        ping True
        401 {"error":"Unauthorized","reason":"Session Invalid"}
        closed 1012

        """)
  }
}
