import Basics
import Basics
import Glibc
import HTTPServer
import HTTPTestSupport
import Synchronization
import Testing

@Suite struct StreamTests {
  @Test func aGigabyteIsStreamedWithoutBeingHeld() throws {
    let size: UInt64 = 1 << 30
    let block = [UInt8](repeating: 0x20, count: 65_536)
    let made = Mutex<UInt64>(0)
    let server = try Server { _ in
      ServerResponse(
        status: 200,
        body: .stream(length: size) { sent, limit in
          made.withLock { $0 = sent + UInt64(limit) }
          return limit < block.count ? Array(block.prefix(limit)) : block
        })
    }
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let head = try #require(connection.head())
    #expect(head.first("Content-Length") == "\(size)")
    // Nothing is made ahead of what the client has read but what fits into the kernel's buffers.
    usleep(300_000)
    #expect(made.withLock { $0 } < 1 << 26)
    #expect(connection.countRest() == Int(size))
    #expect(made.withLock { $0 } >= size)
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
    let told = Monitor<[String]>([])
    let server = try Server(
      handler: { _ in response },
      onUnsendable: { request, reason in told.withLock { $0.append("\(request.target.path): \(reason)") } })
    let answer = try #require(try exchange(server.port, "GET", "/x?y"))
    #expect(answer.status == 500)
    #expect(answer.all("Set-Cookie").isEmpty)
    let reasons = told.withLock { $0 }
    #expect(reasons.count == 1 && reasons.allSatisfy { $0.hasPrefix("/x: ") && !$0.contains("\n") }, "\(reasons)")
  }
}
