import Basics
import Browser
import Foundation
import Testing

struct BrowserLauncherTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func program(_ name: String, _ script: String) throws {
    let text = folder.appending(path: "\(name).text")
    try "#!/bin/sh\n\(script)\n".write(to: text, atomically: true, encoding: .utf8)
    // Another process writes what will be run: a test beside this could fork while this one has it open for writing, and it
    // could not be run then (ETXTBSY).
    let install = try ChildProcess(
      "/usr/bin/install", ["install", "-m", "755", text.path, folder.appending(path: name).path],
      descriptors: [.null, .null, .null])
    try #require(install.wait() == 0)
  }

  private func seen(_ name: String = "seen") -> String {
    let file = folder.appending(path: name)
    for _ in 0..<500 {
      if let text = try? String(contentsOf: file, encoding: .utf8), text.hasSuffix("\n") { return text }
      usleep(10_000)
    }
    return ""
  }

  private func launcher(_ variables: [String: String]) -> BrowserLauncher {
    BrowserLauncher(environment: Environment(["PATH": "\(folder.path):/usr/bin:/bin"].merging(variables) { $1 }))
  }

  @Test func theBrowserOfTheEnvironmentIsUsed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try program("mine", #"echo "$#|$1|$2|$3" >"$(dirname "$0")/seen""#)
    #expect(launcher(["BROWSER": "absent:mine --new %s"]).open("http://127.0.0.1:1/x") != nil)
    #expect(seen() == "2|--new|http://127.0.0.1:1/x|\n")
  }

  @Test func theAddressComesLastWhereNothingSaysOtherwise() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try program("mine", #"echo "$#|$1|$2" >"$(dirname "$0")/seen""#)
    #expect(launcher(["BROWSER": "mine -a"]).open("http://127.0.0.1:1/$(x)'\"") != nil)
    #expect(seen() == "2|-a|http://127.0.0.1:1/$(x)'\"\n")
  }

  @Test func aDesktopHasItsOwnWay() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try program("xdg-open", #"echo "$1" >"$(dirname "$0")/seen""#)
    #expect(!launcher([:]).isAvailable)
    #expect(launcher(["DISPLAY": ":0"]).open("http://127.0.0.1:1/") != nil)
    #expect(seen() == "http://127.0.0.1:1/\n")
    #expect(launcher(["WAYLAND_DISPLAY": "wayland-0"]).isAvailable)
  }

  @Test func aBrowserThatEndsBadlyIsNoticed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try program("mine", "exit 3")
    let browser = try #require(launcher(["BROWSER": "mine"]).open("http://127.0.0.1:1/"))
    var hasFailed = false
    for _ in 0..<500 where !hasFailed {
      hasFailed = browser.hasFailed
      usleep(10_000)
    }
    #expect(hasFailed)
  }

  @Test func nothingHereIsGivenToTheBrowser() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try program("mine", #"ls /proc/self/fd | wc -l >"$(dirname "$0")/seen""#)
    #expect(launcher(["BROWSER": "mine"]).open("x") != nil)
    // stdin, stdout, stderr, and the folder that `ls` reads.
    #expect(seen() == "4\n")
  }

  @Test func relativePathsAreNotSearched() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(!BrowserLauncher(environment: Environment(["PATH": ".:bin", "BROWSER": "sh"])).isAvailable)
    #expect(!launcher(["BROWSER": "nobody-has-this"]).isAvailable)
  }
}
