import Basics
import Foundation
import Session
import StrategyHost
import TestSupport
import Testing

/// Gateways that open a replication's WebSocket, or refuse it, to do harm.
@Suite struct HostileReplicationTests {
  private static let script = #"""
    import base64, hashlib, socket, sys, threading
    mode = sys.argv[1]

    def serve(peer):
        request = b""
        while b"\r\n\r\n" not in request:
            request += peer.recv(65536)
        fields = dict(line.split(": ", 1) for line in request.decode().split("\r\n")[1:] if ": " in line)
        if mode == "quote":
            body = '{"error":"no","reason":"who is %s?"}' % fields["Cookie"]
            peer.sendall(("HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                          % (len(body), body)).encode())
            return
        key = hashlib.sha1((fields["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        peer.sendall(("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                      "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_4\r\n"
                      "X-Correlation-ID: %s\r\n\r\n"
                      % (base64.b64encode(key).decode(), fields["Cookie"])).encode())
        if mode == "close":
            reason = fields["Cookie"].encode()[-100:]
            peer.sendall(bytes([0x88, 2 + len(reason), 0x03, 0xF0]) + reason)
            return
        frame = {"messages": b"\x82\x01x", "pings": b"\x89\x00", "parts": b"\x00\x01x"}[mode]
        try:
            if mode == "parts":
                peer.sendall(b"\x02\x01x")
            while True:
                peer.sendall(frame * 2000)
        except OSError:
            pass

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """#

  private func check(_ mode: String) throws -> ReplicatorCheckReport {
    let sandbox = try Sandbox()
    try sandbox.write("gateway.py", Self.script)
    let server = try PythonServer(script: sandbox("gateway.py"), arguments: [mode])
    let fixture = Fixture()
    fixture.settings["EXPO_PUBLIC_SG_URL"] = "ws://127.0.0.1:\(server.port)"
    try fixture.signIn()
    let service = try fixture.service(ScriptedStrategies { _, _ throws(Failure) in throw Failure(.bug, "none runs") })
    let report = try #require(try ReplicatorCheck(try service.replicator()).run())
    withExtendedLifetime(server) {}
    return report
  }

  @Test(arguments: ["messages", "pings", "parts"]) func oneThatNeverStopsSendingIsLeft(mode: String) throws {
    let start = ContinuousClock.now
    let report = try check(mode)
    #expect(ContinuousClock.now - start < .seconds(20), "\(report.json.text)")
  }

  @Test(arguments: ["quote", "close"]) func whatItQuotesOfTheCredentialIsMasked(mode: String) throws {
    let report = try check(mode)
    let shown = report.json.text + (report.failure.map { "\($0)" } ?? "")
    #expect(shown.contains("********") && !shown.contains(Canary.session), "\(shown)")
  }
}
