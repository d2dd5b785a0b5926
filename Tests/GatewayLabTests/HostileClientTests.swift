import GatewayLab
import Glibc
import HTTPTestSupport
import Testing

/// Clients that mean harm, at the gateway and at the port that controls it.
@Suite struct HostileClientTests {
  private let lab: Lab
  init() throws { lab = try Lab() }

  private var ports: [UInt16] {
    [lab.origin, lab.controlOrigin].compactMap { UInt16($0.split(separator: ":").last ?? "") }
  }

  private func expectAlive(_ port: UInt16) throws {
    let connection = try RawConnection(port: port)
    connection.send("GET /mfs/_session HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
    let status = connection.response()?.status
    #expect(status == 200 || status == 404)
  }

  @Test(arguments: [false, true]) func aGigabyteIsNotTaken(isChunked: Bool) throws {
    defer { lab.stop() }
    let block = String(repeating: "x", count: 1 << 20)
    for port in ports {
      let connection = try RawConnection(port: port)
      connection.send(
        "PUT /scenario HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
          + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 1073741824\r\n\r\n"))
      var sent = 0
      while sent < 1_024, connection.send(isChunked ? "100000\r\n\(block)\r\n" : block) { sent += 1 }
      #expect(sent < 64, "\(sent) MiB were taken")
      try expectAlive(port)
    }
  }

  @Test func idleAndHalfRequestsHoldUpNobody() throws {
    defer { lab.stop() }
    for port in ports {
      var held = try (0..<200).map { _ in try RawConnection(port: port) }
      try expectAlive(port)
      let half = try (0..<200).map { _ in try RawConnection(port: port) }
      for connection in half { connection.send("POST /mfs/_session HTTP/1.1\r\nHost: a\r\nContent-Le") }
      try expectAlive(port)
      held += half
      #expect(held.count == 400)
      held.removeAll()
      try expectAlive(port)
    }
  }

  @Test func everyPipelinedRequestIsAnswered() throws {
    defer { lab.stop() }
    for port in ports {
      let connection = try RawConnection(port: port)
      let request = "GET /mfs/_session HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
      connection.send(String(repeating: request, count: 100))
      for number in 1...100 {
        let status = connection.response()?.status
        #expect(status == 200 || status == 404, "answer \(number)")
      }
    }
  }
}
