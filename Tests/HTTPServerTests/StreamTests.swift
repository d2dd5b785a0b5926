import Basics
import HTTPServer
import HTTPTestSupport
import Synchronization
import Testing

@Suite struct StreamTests {
  @Test func aGigabyteIsStreamedWithoutBeingHeld() throws {
    let size: UInt64 = 1 << 30
    let block = [UInt8](repeating: 0x20, count: 65_536)
    let server = try Server { _ in
      ServerResponse(
        status: 200,
        body: .stream(length: size) { _, limit in limit < block.count ? Array(block.prefix(limit)) : block })
    }
    let before = try residentKilobytes()
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let head = try #require(connection.head())
    #expect(head.first("Content-Length") == "\(size)")
    #expect(connection.countRest() == Int(size))
    #expect(try residentKilobytes() - before < 32_768)
  }

  @Test func aStreamWithoutLengthIsChunked() throws {
    let server = try Server { _ in
      ServerResponse(status: 200, body: .stream(length: nil) { sent, _ in sent < 3 ? [0x61] : [] })
    }
    let response = try #require(try exchange(server.port, "GET", "/"))
    #expect(response.first("Transfer-Encoding") == "chunked")
    #expect(response.text == "aaa")
  }

  @Test(arguments: [0, 1, 7, 99_999])
  func aConnectionIsCutInTheMidstOfTheBody(count: Int) throws {
    let server = try Server { _ in
      ServerResponse(
        status: 200, body: .bytes([UInt8](repeating: 0x61, count: 100_000)), connection: .cutAfter(bytes: count))
    }
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let head = try #require(connection.head())
    #expect(head.first("Content-Length") == "100000")
    #expect(connection.rest().count == count)
    #expect(connection.isAtEnd)
  }

  @Test func aConnectionIsCutWithoutAnAnswer() throws {
    let server = try Server { _ in .cut }
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(connection.rest().isEmpty)
    #expect(connection.isAtEnd)
  }

  @Test func aProducerThatFailsCutsTheConnection() throws {
    for producer: ServerResponse.BodyProducer in [
      { sent, _ in sent == 0 ? [1] : nil }, { sent, _ in sent == 0 ? [1] : [] },
    ] {
      let server = try Server { _ in ServerResponse(status: 200, body: .stream(length: 10, producer)) }
      let connection = try RawConnection(port: server.port)
      connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.response() == nil)
      #expect(connection.isAtEnd)
    }
  }

  @Test(arguments: [
    ServerResponse(status: 200, headers: ["X": "a\r\nSet-Cookie: b=1"]),
    ServerResponse(status: 200, headers: ["X": "a\0b"]),
    ServerResponse(status: 200, headers: ["": "a"]), ServerResponse(status: 99), ServerResponse(status: -1),
    ServerResponse(status: 70_000),
  ])
  func anAnswerThatCannotBeSentIs500(response: ServerResponse) throws {
    let server = try Server { _ in response }
    let answer = try #require(try exchange(server.port, "GET", "/"))
    #expect(answer.status == 500)
    #expect(answer.all("Set-Cookie").isEmpty)
  }

  private func residentKilobytes() throws -> Int {
    let status = String(decoding: try Files.readProc("/proc/self/status"), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }
}

extension Files {
  static func readProc(_ path: String) throws(Failure) -> [UInt8] { try read(path, limit: 1_048_576) }
}
