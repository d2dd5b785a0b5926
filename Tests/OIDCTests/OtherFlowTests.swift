import Foundation
import GatewayLab
import TestSupport
import Testing

/// The implicit flow, and signing in where there is no browser.
@Suite struct OtherFlowTests {
  @Test func theImplicitFlowWorksAndIsAdvisedAgainst() throws {
    let device = try Device(strategy: "oidc_implicit")
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes)")
    #expect(login.errorText.contains("RFC 9700"))
    let names = try device.names()
    #expect(names.isSuperset(of: ["auth.idToken", "auth.sessionId"]) && !names.contains("auth.refreshToken"))
    #expect(device.provider.count(of: .token) == 0)
    let before = try device.value("auth.sessionId")
    #expect(try device.mfsctl("session", "refresh").status == 0)
    #expect(try device.value("auth.sessionId") != before)
    #expect(try device.mfsctl("--json", "session", "logout").text.contains(#""server":"told""#))
  }

  @Test func anImplicitTokenMustHaveOurNonce() throws {
    for kind in [ProviderFault.Kind.wrongNonce, .noNonce, .wrongSignature, .wrongAudience] {
      let device = try Device(strategy: "oidc_implicit")
      device.fail(kind)
      #expect(try device.login().status == 63)
      #expect(try device.names().isEmpty)
    }
  }

  /// A body, even `{}`, would open the guest's session where there is a guest, whatever the header says.
  @Test(arguments: ["oidc_code", "oidc_implicit"]) func whereThereIsAGuestThePersonSignsIn(strategy: String) throws {
    let device = try Device(strategy: strategy) { $0.options.guest = true }
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText)")
    let session = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/_session")
    #expect(session.text.contains(#""name":"alice""#), "\(session.text)")
  }

  @Test func anImplicitSignInEndsWithItsToken() throws {
    let device = try Device(strategy: "oidc_implicit") { $0.provider.options.idTokenLifetime = 10 }
    try #require(try device.login().status == 0)
    // The session is still good at the gateway; when that has ended too, only a person can go on.
    #expect(try device.mfsctl("session", "refresh").status == 0)
    device.lab.gateway.expireSessions()
    #expect(try device.mfsctl("session", "refresh").status == 61)
  }

  /// Begins a sign-in without a browser, and returns the page that a code is to be typed at, with the code.
  private func askForCode(_ device: Device, clock: [String] = []) throws -> (login: Background, page: String) {
    let login = try Background(
      clock + [Programs.buildFolder + "/mfsctl", "session", "login", "--no-browser"], in: device.sandbox,
      environment: device.environment)
    let shown = login.errorText(until: { $0.contains("with the code") })
    let words = shown.split(whereSeparator: \.isWhitespace).map(String.init)
    let page = try #require(words.first { $0.hasPrefix("http://") }, "\(shown)")
    let code = try #require(
      words.drop { $0 != "code" }.dropFirst().first?.trimmingCharacters(in: .punctuationCharacters))
    return (login, "\(page)?user_code=\(code)")
  }

  private func typeCode(_ device: Device, _ page: String, refuses: Bool = false) throws {
    var person = device.environment
    person["BROWSER"] = nil
    person["PERSON_REFUSES"] = refuses ? "1" : nil
    let typed = try run(["python3", Device.personProgram, page], in: device.sandbox, environment: person)
    #expect(typed.status == 0, "\(typed.errorText)")
  }

  @Test func withoutABrowserACodeIsTypedElsewhere() throws {
    let device = try Device { $0.provider.options.deviceInterval = 1 }
    let (login, page) = try askForCode(device)
    defer { login.end() }
    try typeCode(device, page)
    #expect(login.wait() == 0, "\(login.errorText)")
    #expect(try device.names().contains("auth.refreshToken"))
  }

  /// They need longer than a strategy may compute, and the provider asks for patience meanwhile.
  @Test func aPersonMayTakeMinutesToTypeTheCode() throws {
    let device = try Device { $0.provider.options.deviceInterval = 1 }
    let (login, page) = try askForCode(device, clock: try Machine.faketime("+0 x40"))
    defer { login.end() }
    usleep(4_000_000)
    try typeCode(device, page)
    #expect(login.wait() == 0, "\(login.errorText)")
    #expect(try device.names().contains("auth.refreshToken"))
    #expect((2...60).contains(device.provider.count(of: .token)), "\(device.provider.count(of: .token)) questions")
  }

  @Test func aPersonMaySayNoToTheCode() throws {
    let device = try Device { $0.provider.options.deviceInterval = 1 }
    let (login, page) = try askForCode(device)
    defer { login.end() }
    try typeCode(device, page, refuses: true)
    #expect(login.wait() == 61, "\(login.errorText)")
    #expect(login.errorText.contains("the sign-in was cancelled"), "\(login.errorText)")
    #expect(try device.names().isEmpty)
  }

  @Test func aCodeThatNobodyTypesIsTooOld() throws {
    let device = try Device {
      $0.provider.options.deviceInterval = 1
      $0.provider.options.deviceCodeLifetime = 2
    }
    let (login, _) = try askForCode(device)
    defer { login.end() }
    #expect(login.wait() == 61, "\(login.errorText)")
    #expect(login.errorText.contains("Nobody signed in with the code in time."), "\(login.errorText)")
    #expect(try device.names().isEmpty)
  }

  @Test func withoutBrowserAndDeviceFlowTheAddressIsShown() throws {
    let device = try Device { $0.provider.options.absent = [.deviceAuthorization] }
    let login = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "login", "--no-browser"], in: device.sandbox,
      environment: device.environment)
    defer { login.end() }
    let shown = login.errorText(until: { $0.contains("redirect_uri") })
    let page = try #require(shown.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }, "\(shown)")
    let opened = try run(
      ["python3", Device.personProgram, String(page)], in: device.sandbox, environment: device.environment)
    #expect(opened.status == 0, "\(opened.errorText)")
    #expect(login.wait() == 0, "\(login.errorText)")
    let parameters = page.split(separator: "?").last?.split(separator: "&") ?? []
    #expect(parameters.contains("device_id=\(try device.value("mfs.deviceId"))"), "\(page)")
    #expect(parameters.contains("code_challenge_method=S256"), "\(page)")
  }

  /// The browser is on another machine, whose 127.0.0.1 is not this one's: the address that it ends at is pasted.
  @Test func theAddressThatTheBrowserEndsAtCanBePasted() throws {
    let device = try Device { $0.provider.options.absent = [.deviceAuthorization] }
    let paster = try #require(Bundle.module.path(forResource: "paster", ofType: "py", inDirectory: "Resources"))
    let login = try run(
      ["python3", paster, Programs.buildFolder + "/mfsctl", "session", "login", "--no-browser"], in: device.sandbox,
      environment: device.environment)
    #expect(login.status == 0, "\(login.text)\(login.errorText)")
    #expect(login.text.contains("That is not the address that this sign-in ends at."), "\(login.text)")
    #expect(login.text.contains("Signed in as alice with oidc_code."), "\(login.text)")
    #expect(!login.text.contains("callback?code="), "what is pasted is not shown")
    #expect(try device.names() == CodeFlowTests.everything)
    #expect(device.provider.count(of: .token) == 1)
  }

  /// Whoever opens the page in a browser of this machine pastes nothing: the address is the listener's.
  @Test func aBrowserOfThisMachineEndsTheQuestionForTheAddress() throws {
    let device = try Device { $0.provider.options.absent = [.deviceAuthorization] }
    let paster = try #require(Bundle.module.path(forResource: "paster", ofType: "py", inDirectory: "Resources"))
    var environment = device.environment
    environment["PERSON_BROWSER"] = "here"
    let login = try run(
      ["python3", paster, Programs.buildFolder + "/mfsctl", "session", "login", "--no-browser"], in: device.sandbox,
      environment: environment)
    #expect(login.status == 0, "\(login.text)\(login.errorText)")
    #expect(login.text.contains("answer that does not name this sign-in"), "\(login.text)")
    #expect(login.text.contains("Signed in as alice with oidc_code."), "\(login.text)")
    #expect(try device.names() == CodeFlowTests.everything)
  }

  @Test func aBrowserThatDoesNotStartIsNoticed() throws {
    let device = try Device { $0.provider.options.absent = [.deviceAuthorization] }
    var environment = device.environment
    environment["BROWSER"] = "false"
    let login = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "login"], in: device.sandbox, environment: environment)
    defer { login.end() }
    let shown = login.errorText(until: { $0.contains("redirect_uri") })
    #expect(shown.contains("The browser did not open."))
    login.interrupt()
    #expect(login.wait() == 130)
    #expect(try device.names().isEmpty)
  }
}
