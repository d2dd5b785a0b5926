import Foundation
import TestSupport
import Testing

/// What lists look like to people, and what programs get.
@Suite struct ListTests {
  @Test func aHeadLineIsForATerminalAlone() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let one = try daemon.signIn(device: "dev_1")
    let lists = [
      ("user", "NAME"), ("client", "ID"), ("family", "SID"), ("device", "USER"), ("key", "NUMBER"),
      ("pepper", "NUMBER"),
    ]
    for (list, head) in lists {
      let shown = try run(
        ["script", "-qec", "mfs-authd --config config.yaml \(list) list", "/dev/null"], in: daemon.sandbox)
      let lines = shown.text.split(whereSeparator: \.isNewline)
      #expect(shown.status == 0 && lines.count == 2 && lines[0].hasPrefix(head + " "), "\(shown.text)")
      #expect(try daemon.admin(list, "list").text.split(separator: "\n").count == 1)
      #expect(!lines[1].contains("from ") && !lines[1].contains("until "), "\(lines[1])")
      // The second column begins below its head.
      let second = try #require(lines[0].dropFirst(head.count).firstIndex { $0 != " " })
      #expect(lines[1].dropFirst(lines[0].distance(from: lines[0].startIndex, to: second)).first != " ")
    }
    let shown = try run(
      ["script", "-qec", "mfs-authd --config config.yaml audit show --limit 2", "/dev/null"], in: daemon.sandbox)
    let lines = shown.text.split(whereSeparator: \.isNewline)
    #expect(lines.count == 3 && lines[0].hasPrefix("NUMBER  AT ") && lines[1].hasPrefix("1       2"), "\(shown.text)")
    let event = lines[0].distance(
      from: lines[0].startIndex, to: try #require(lines[0].firstRange(of: "EVENT")).lowerBound)
    #expect(lines.dropFirst().allSatisfy { $0.dropFirst(event).hasPrefix("key.made  ") }, "\(shown.text)")
    #expect(try daemon.admin("audit", "show", "--limit", "2").text.split(separator: "\n").count == 2)
    for list in ["family", "device"] {
      #expect(try daemon.admin(list, "list").text.contains("\(one.sub)  "))
      #expect(try daemon.admin(list, "list").text.contains("  \(Daemon.user)"))
      #expect(try daemon.admin(list, "list", "--json").text.contains("\"userName\":\"\(Daemon.user)\""))
    }
    #expect(try daemon.stop().status == 0)
  }

  /// A value from outside is shown whole, whatever it begins with; a program gets a word before a moment.
  @Test func noValueIsTakenForAHead() throws {
    let daemon = try Daemon()
    try daemon.admin("client", "add", "app", "--redirect-uri", "com.example.app:/cb", "--name", "name tag")
    try daemon.admin("resource", "add", "orders")
    func terminal(_ list: String) throws -> String {
      try run(["script", "-qec", "mfs-authd --config config.yaml \(list) list", "/dev/null"], in: daemon.sandbox).text
    }
    let clients = try terminal("client")
    #expect(clients.contains("  name tag  "), "\(clients)")
    #expect(try daemon.admin("client", "list").text.contains("app  name tag  com.example.app:/cb"))
    #expect(try !terminal("resource").contains("since "))
    #expect(try daemon.admin("resource", "list").text.contains("orders  api  since 2"))
    #expect(try daemon.admin("key", "list").text.contains("  active  from 2"))
  }
}
