import HTTPTestSupport
import Testing

/// The gateway's answers about sessions, each byte as it comes from the socket.
@Suite struct SessionAnswerTests {
  @Test(arguments: AnswerRow.create) func creating(row: AnswerRow) throws { try check(row) }
  @Test(arguments: AnswerRow.read) func reading(row: AnswerRow) throws { try check(row) }
  @Test(arguments: AnswerRow.end) func ending(row: AnswerRow) throws { try check(row) }
  @Test(arguments: AnswerRow.use) func using(row: AnswerRow) throws { try check(row) }

  private func check(_ row: AnswerRow) throws {
    let lab = try LabFixture(row.options)
    let id = try row.before(lab)
    let connection = try RawConnection(port: lab.port)
    var lines = row.request + ["Host: gateway", "Accept-Encoding: gzip", "Connection: close"]
    if !row.body.isEmpty { lines.append("Content-Length: \(row.body.utf8.count)") }
    connection.send(lines.joined(separator: "\r\n").replacing("{id}", with: id) + "\r\n\r\n" + row.body)
    let bytes = try #require(String(validating: connection.rest(), as: UTF8.self))
    // A line of the date, which is the machine's, is the one thing that may differ.
    let date = /Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n/
    #expect(bytes.matches(of: date).count == 1)
    let got = bytes.replacing(date, with: "")
    // The length of a body whose session id has the forty digits that it must have.
    let length = row.answer.replacing("{new}", with: String(repeating: "0", count: 40)).utf8.count
    var head = [row.status, "Connection: close", "Server: Couchbase Sync Gateway"] + row.headers
    if !row.answer.isEmpty { head.append("Content-Type: application/json") }
    head.append("Content-Length: \(length)")
    let expected = (head.joined(separator: "\r\n") + "\r\n\r\n" + row.answer).replacing("{id}", with: id)
    let parts = expected.split(separator: "{new}", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      #expect(got == expected)
      return
    }
    #expect(got.hasPrefix(parts[0]) && got.hasSuffix(parts[1]), "\(got)\nis not\n\(expected)")
    let new = got.dropFirst(parts[0].count).prefix(40)
    #expect(got.count == expected.count - 5 + 40 && new.allSatisfy { "0123456789abcdef".contains($0) } && new != id)
  }
}
