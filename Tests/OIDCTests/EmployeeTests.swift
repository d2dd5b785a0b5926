import GatewayLab
import TestSupport
import Testing

/// Whose profile the app shows: the ID token's claim, else the gateway's profile of the user, else nobody's, and it is said.
@Suite struct EmployeeTests {
  @Test func theClaimComesFirst() throws {
    let device = try Device {
      $0.provider.options.employeeIDs = ["alice": "E-17"]
      $0.options.profiles = ["alice": "E-99"]
    }
    let login = try device.login()
    #expect(login.text.contains(#""employeeId":"E-17""#), "\(login.errorText)")
    let status = try device.mfsctl("session", "status")
    #expect(status.text.contains("Employee: E-17"))
  }

  @Test func theClaimHasTheNameThatTheSettingsSay() throws {
    let device = try Device(more: "EXPO_PUBLIC_OIDC_EMPLOYEE_CLAIM=email") {
      $0.provider.options.employeeIDs = ["alice": "E-17"]
    }
    #expect(try device.login().text.contains(#""employeeId":"alice@example.com""#))
  }

  @Test(arguments: [
    "", "EXPO_PUBLIC_SG_PROFILE_DOC=users:{user}", "EXPO_PUBLIC_SG_PROFILE_DOC=_default.users/{user}",
  ])
  func thenTheProfile(more: String) throws {
    let device = try Device(more: more) { $0.options.profiles = ["alice": "E-99"] }
    let login = try device.login()
    #expect(login.text.contains(#""employeeId":"E-99""#), "\(login.errorText)")
    #expect(try device.value("auth.employeeId") == "E-99")
    try #require(try device.mfsctl("session", "refresh").status == 0)
    #expect(try device.value("auth.employeeId") == "E-99", "a refresh keeps it")
  }

  @Test func theOtherFlowsLookThereToo() throws {
    let implicit = try Device(strategy: "oidc_implicit") { $0.options.profiles = ["alice": "E-99"] }
    #expect(try implicit.login().text.contains(#""employeeId":"E-99""#))
    let gateway = try Device.atGateway { $0.options.profiles = ["alice": "E-99"] }
    #expect(try gateway.login().text.contains(#""employeeId":"E-99""#))
  }

  @Test func elseItIsNotKnownAndTheSignInIsGood() throws {
    let device = try Device { $0.options.profiles = ["bob": "E-1"] }
    let login = try device.login()
    #expect(login.status == 0 && login.text.contains(#""employeeId":null"#), "\(login.errorText)")
    #expect(login.errorText.contains("does not say the employee (HTTP 404)"), "\(login.errorText)")
    #expect(try device.mfsctl("session", "status").text.contains("Employee: not known"))
    for kind in [Fault.Kind.garbage, .internalError, .cutConnection, .redirect] {
      var scenario = device.lab.gateway.scenario
      var fault = Fault(kind)
      fault.operations = [.other]
      scenario.faults = [fault]
      device.lab.gateway.scenario = scenario
      #expect(try device.login().status == 0, "\(kind)")
    }
  }
}
