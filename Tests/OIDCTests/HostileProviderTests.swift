import Foundation
import GatewayLab
import TestSupport
import Testing

/// What a provider, or somebody between it and us, can do wrong at a sign-in. Each is refused with its reason, and leaves
/// nothing behind.
@Suite struct HostileProviderTests {
  private func refused(
    _ kind: ProviderFault.Kind, at endpoints: Set<ProviderEndpoint> = [], status: Int32, said: String,
    reachesToken: Bool = true
  ) throws {
    let device = try Device()
    device.fail(kind, at: endpoints)
    let login = try device.login()
    #expect(login.status == status, "\(login.errorText)")
    #expect(login.errorText.lowercased().contains(said.lowercased()), "\(login.errorText)")
    #expect(try device.names().isEmpty)
    let sent = device.provider.count(of: .token)
    #expect(sent <= (reachesToken ? 1 : 0), "the code was sent \(sent) times")
    device.provider.faults = []
    #expect(try device.login().status == 0, "and then it works")
  }

  @Test(arguments: [
    (ProviderFault.Kind.wrongNonce, "nonce"), (.noNonce, "nonce"), (.wrongAudience, "token is for"),
    (.wrongTokenIssuer, "issued by"), (.wrongAccessTokenHash, "at_hash"), (.wrongSignature, "signature"),
    (.algorithmNone, "none"), (.algorithmHMAC, "HS256"), (.expired, "expired"), (.issuedInFuture, "clock"),
    (.unknownKeyID, "key"), (.duplicateMembers, "two members of one name"),
  ])
  func anIDTokenThatIsWrongIsRefused(kind: ProviderFault.Kind, said: String) throws {
    try refused(kind, status: 63, said: said)
  }

  @Test func aTokenThatNamesNoKeyIsTriedWithAll() throws {
    let device = try Device()
    device.fail(.noKeyID)
    #expect(try device.login().status == 0)
  }

  @Test(arguments: [(ProviderFault.Kind.wrongIssuer, "not from the identity provider"), (.noIssuer, "not from")])
  func anAnswerOfAnotherIssuersIsNotExchanged(kind: ProviderFault.Kind, said: String) throws {
    try refused(kind, status: 63, said: said, reachesToken: false)
  }

  @Test func aPersonWhoSaysNoIsHeard() throws {
    try refused(.accessDenied, status: 61, said: "cancelled", reachesToken: false)
  }

  @Test(arguments: [
    (ProviderFault.Kind.foreignIssuer, 63, "calls itself"), (.redirect, 63, "307"), (.internalError, 62, "500"),
    (.unavailable, 62, "503"), (.cutConnection, 62, "cannot reach"), (.garbage, 63, "JSON"), (.hugeBody, 62, "answer"),
    (.httpEndpoint, 63, "token_endpoint is not an https URL"),
  ])
  func metadataThatCannotBeUsed(kind: ProviderFault.Kind, status: Int32, said: String) throws {
    try refused(kind, at: [.discovery], status: status, said: said, reachesToken: false)
  }

  @Test(arguments: [
    (ProviderFault.Kind.redirect, 63, "redirects"), (.internalError, 62, "500"), (.tooManyRequests, 62, "wait"),
    (.cutConnection, 62, "reach"), (.cutAnswer, 62, "reach"), (.garbage, 62, "token endpoint"),
    (.hugeBody, 62, "large"),
  ])
  func aTokenEndpointInTrouble(kind: ProviderFault.Kind, status: Int32, said: String) throws {
    try refused(kind, at: [.token], status: status, said: said)
  }

  @Test(
    arguments: [(ProviderFault.Kind.internalError, 62), (.garbage, 62), (.staleKeys, 63)]
      as [(ProviderFault.Kind, Int32)])
  func keysThatCannotBeHad(kind: ProviderFault.Kind, status: Int32) throws {
    try refused(kind, at: kind == .staleKeys ? [] : [.jwks], status: status, said: "key")
  }

  /// An answer that comes a byte at a time is never silent, and would take minutes: it is given up at the 30 seconds that an
  /// exchange may take in all, which are three here, where the clock runs ten times as fast.
  @Test(arguments: ["discovery", "token", "keys"]) func aProviderThatDripsIsGivenUp(answer: String) throws {
    let script = try #require(Bundle.module.path(forResource: "drip", ofType: "py", inDirectory: "Resources"))
    let provider = try PythonServer(script: script, arguments: [answer])
    let device = try Device(issuer: "http://127.0.0.1:\(provider.port)")
    // The person's own clock is right.
    device.person["BROWSER"] = "env -u LD_PRELOAD python3 \(Device.personProgram) %s"
    let start = ContinuousClock.now
    let login = try run(
      Machine.faketime("+0 x10") + [Programs.buildFolder + "/mfsctl", "--verbose", "session", "login"],
      in: device.sandbox, environment: device.environment)
    let took = ContinuousClock.now - start
    #expect(login.status == 62, "\(login.errorText)")
    #expect(login.errorText.contains("timed out"), "\(login.errorText)")
    #expect(took >= .milliseconds(2_800) && took < .seconds(30), "\(took)")
    #expect(device.notes.isEmpty == (answer == "discovery"), "\(device.notes)")
    #expect(try device.names().isEmpty)
    withExtendedLifetime(provider) {}
  }

  /// A state that is not ours is no answer: the listener goes on waiting, and so may the person.
  @Test(arguments: [ProviderFault.Kind.wrongState, .noState, .accessDeniedWithoutState])
  func aStrangersAnswerIsNotTaken(kind: ProviderFault.Kind) throws {
    let device = try Device()
    device.fail(kind)
    let started = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "login"], in: device.sandbox, environment: device.environment)
    defer { started.end() }
    #expect(device.wait { device.notes.count >= 2 })
    #expect(device.notes.last?.contains("400 ") == true, "\(device.notes)")
    #expect(started.isRunning)
    #expect(try device.names().isEmpty)
    #expect(device.provider.count(of: .token) == 0)
  }
}
