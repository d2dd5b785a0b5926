import Basics
import Session
import Testing

@Suite struct ConfigurationTests {
  func configuration(_ changes: [String: String]) throws -> SessionConfiguration {
    try SessionConfiguration(settings: Fixture.basic.merging(changes) { $1 })
  }

  @Test(arguments: ["wss://sync.example.com", "https://SYNC.example.com:443/", "wss://sync.example.com:443"])
  func theGatewayIsItsOrigin(_ url: String) throws {
    #expect(try configuration(["EXPO_PUBLIC_SG_URL": url]).binding.gateway == "https://sync.example.com")
  }

  @Test(arguments: [
    "ws://sync.example.com", "wss://sync.example.com:4984", "wss://sync.example.org", "wss://xsync.example.com",
  ]) func anotherSchemeHostOrPortIsAnotherPlace(_ url: String) throws {
    #expect(try configuration(["EXPO_PUBLIC_SG_URL": url]).binding != (try configuration([:])).binding)
  }

  @Test(arguments: ["", "ftp://h", "sync.example.com", "wss://", "wss://user:pw@h", "wss://h:99999", "wss://a b"])
  func aURLThatIsNoneIsAConfigurationError(_ url: String) throws {
    let failure = #expect(throws: Failure.self) { try configuration(["EXPO_PUBLIC_SG_URL": url]) }
    #expect(failure?.code == .configuration)
    #expect(failure?.message.contains("pw") == false)
  }

  @Test func demoNeedsNoURL() throws {
    let configuration = try SessionConfiguration(settings: ["EXPO_PUBLIC_AUTH_STRATEGY": "demo"])
    #expect(configuration.isLocal && configuration.binding.gateway == nil)
  }

  @Test func theStrategyIsBasicUnlessSaid() throws {
    #expect(try SessionConfiguration(settings: ["EXPO_PUBLIC_SG_URL": "wss://h"]).strategy == "basic")
  }

  @Test(arguments: ["-1", "5m", "99999999999999999999", "1e3"]) func aSkewIsANumberOfSeconds(_ skew: String) {
    let failure = #expect(throws: Failure.self) {
      try configuration(["EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC": skew])
    }
    #expect(failure?.code == .configuration)
  }

  @Test func theSkewIsTakenFromTheSettings() throws {
    #expect(try configuration(["EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC": "60"]).skew == 60)
    #expect(try configuration([:]).skew == 300)
  }

  @Test(arguments: ["../x", "a/b", "a b", "\u{1B}[31m"]) func aStrategyIsAName(_ name: String) {
    let failure = #expect(throws: Failure.self) { try configuration(["EXPO_PUBLIC_AUTH_STRATEGY": name]) }
    #expect(failure?.code == .configuration)
  }

  @Test func aLineEndInASettingCannotForgeABinding() {
    let failure = #expect(throws: Failure.self) { try configuration(["EXPO_PUBLIC_SG_DB": "mfs\ngateway=https://x"]) }
    #expect(failure?.code == .configuration)
  }
}
