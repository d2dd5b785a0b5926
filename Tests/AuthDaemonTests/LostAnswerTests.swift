import Foundation
import TestSupport
import Testing

/// A server that is killed between what it has committed and its answer.
@Suite struct LostAnswerTests {
  @Test("RF-15 a server is killed as it begins to send the answer to a refresh: the app asks again, and goes on")
  func killedBeforeItsAnswer() throws {
    let daemon = try Daemon()
    try daemon.admin(
      "client", "add", "mobile", "--replace", "--redirect-uri", "com.example.app:/oauth/callback", "--device",
      "required", "--grace", "10")
    try daemon.serve()
    let phone = try daemon.signIn(device: "dev_1"), other = try daemon.signIn(device: "dev_2")
    let kept = try daemon.refresh(other.tokens.refresh_token, device: "dev_2")
    #expect(kept.status == 200)
    #expect(try daemon.stop().status == 0)

    // The first answer that it sends at all kills it, before a byte of it has left.
    let calls = "sendto,sendmsg,writev"
    try daemon.serve(under: [
      "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):signal=KILL:when=1",
    ])
    #expect(throws: Daemon.Broken.self) { try daemon.refresh(phone.tokens.refresh_token, device: "dev_1") }
    #expect(daemon.wait() == 128 + SIGKILL)

    try daemon.serve()
    #expect(try daemon.admin("family", "list", "--json").text.components(separatedBy: "\"rotations\":1").count == 3)
    let again = try daemon.refresh(phone.tokens.refresh_token, device: "dev_1")
    #expect(again.status == 200, "\(again)")
    let next = try daemon.refresh(again.next ?? "", device: "dev_1")
    #expect(next.status == 200)
    #expect(try daemon.refresh(kept.next ?? "", device: "dev_2").status == 200)
    // What came before the last is spent, as ever.
    #expect(try daemon.refresh(phone.tokens.refresh_token, device: "dev_1").error == "invalid_grant")
    #expect(try daemon.refresh(next.next ?? "", device: "dev_1").error == "invalid_grant")
    let (status, log) = try daemon.stop()
    #expect(status == 0)
    #expect(try Daemon.lines(log).filter { $0["level"] as? String == "alert" }.count == 1)
  }
}
