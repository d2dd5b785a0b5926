import Foundation
import HTTPServer
import TestSupport
import Testing

/// A port that something else has: the start says which setting it is.
@Suite struct PortTests {
  @Test(arguments: ["LISTEN", "METRICS"]) func aTakenPortIsNamedByItsSetting(name: String) throws {
    let other = try Server { _ in ServerResponse(status: 204) }
    defer { other.stop(grace: 0) }
    let port = try #require(other.origin.split(separator: ":").last)
    let daemon = try Daemon(["MFS_AUTHD_\(name)_PORT: \(port)"])
    let refused = try daemon.admin("serve", status: 11).errorText
    #expect(refused.contains("cannot listen on 127.0.0.1 port \(port)"), "\(refused)")
    #expect(refused.contains("choose another port (MFS_AUTHD_\(name)_PORT)"), "\(refused)")
  }

  /// 192.0.2.0/24 is nobody's (RFC 5737).
  @Test func anAddressOfAnotherMachineIsNamedByItsSetting() throws {
    let daemon = try Daemon(["MFS_AUTHD_METRICS_ADDRESS: 192.0.2.1"])
    let refused = try daemon.admin("serve", status: 2).errorText
    #expect(refused.contains("use an address of this machine (MFS_AUTHD_METRICS_ADDRESS)"), "\(refused)")
  }
}
