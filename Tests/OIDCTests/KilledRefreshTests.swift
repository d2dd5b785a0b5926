import Foundation
import GatewayLab
import TestSupport
import Testing

/// A refresh killed at each of its calls that change something on disk (``KillPoint`` says why these stand for all), and
/// while the provider's answer is on its way. The provider rotates: what it has answered it will not answer again.
@Suite struct KilledRefreshTests {
  /// The next run has a session, or says that a person is needed; and then it says so at once, without asking again.
  @Test func aRefreshKilledAnywhereRecoversOrAsks() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    let command = [Programs.buildFolder + "/mfsctl", "session", "refresh"]
    let (result, points) = try KillPoint.all(of: command, in: device.sandbox, environment: device.environment)
    try #require(result.status == 0, "\(result.errorText)")
    // The vault is replaced twice: when the provider's new token is stored, and when the session is.
    try #require(points.count { $0.description.hasPrefix("rename") } == 2, "\(points)")
    var (recovered, asked) = (0, 0)
    for point in points {
      if try !device.names().contains("auth.refreshToken") { try #require(try device.login().status == 0) }
      _ = try point.kill(command, in: device.sandbox, environment: device.environment)
      let next = try device.mfsctl("session", "refresh")
      let isStored = point.description.hasPrefix("rename") && point.description.contains(" number 2,")
      #expect(!isStored || next.status == 0, "\(point): the new token was durable, and is lost")
      switch next.status {
      case 0:
        recovered += 1
        #expect(device.provider.liveSignIns == 1, "\(point)")
      case 61:
        asked += 1
        let calls = device.provider.count(of: .token)
        #expect(try device.mfsctl("session", "refresh").status == 61, "\(point)")
        #expect(device.provider.count(of: .token) == calls, "\(point): it asks with what is dead")
      default: Issue.record("\(point): \(next.status) \(next.errorText)")
      }
      #expect(try device.names().contains("mfs.deviceId"), "\(point)")
    }
    // A kill before the answer is stored costs the sign-in at a provider that rotates; any other does not.
    #expect(recovered > 0, "\(recovered) recovered, \(asked) asked of \(points.count)")
  }

  @Test func aRefreshKilledWhileTheProviderAnswersAsksOnce() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    var slow = ProviderFault(.slow)
    slow.endpoints = [.token]
    slow.delayMilliseconds = 3_000
    device.provider.faults = [slow]
    let before = device.provider.count(of: .token)
    let refresh = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "refresh"], in: device.sandbox, environment: device.environment)
    #expect(device.wait { device.provider.count(of: .token) > before })
    refresh.end()
    device.provider.faults = []
    let next = try device.mfsctl("session", "refresh")
    #expect([0, 61].contains(next.status), "\(next.errorText)")
    let after = device.provider.count(of: .token)
    #expect(try device.mfsctl("session", "refresh").status == next.status)
    #expect(device.provider.count(of: .token) == after + (next.status == 0 ? 1 : 0))
  }
}
