import Foundation
import TestSupport
import Testing

/// The sample unit of docs/systemd.
@Suite struct UnitTests {
  @Test func theSampleUnitIsSound() throws {
    let unit = try String(contentsOfFile: Programs.checkout + "/docs/systemd/mfs-authd.service", encoding: .utf8)
    for word in [
      "mfs-authd --config", " serve\n", "NoNewPrivileges=yes", "ProtectSystem=strict", "LoadCredential=mfs-authd.key",
      "RestartPreventExitStatus=", "SystemCallFilter=@system-service", "ExecReload=/bin/kill -HUP $MAINPID\n",
    ] {
      #expect(unit.contains(word), "\(word)")
    }
    try #require(
      FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
      "systemd-analyze is not installed: run 'make deps-test' (systemd)")
    let sandbox = try Sandbox()
    // The program stands where it was built, not where the unit has it.
    try sandbox.write(
      "mfs-authd.service",
      unit.replacingOccurrences(of: "/usr/local/bin/mfs-authd", with: Programs.buildFolder + "/mfs-authd"))
    let result = try run(["systemd-analyze", "verify", "--man=no", sandbox("mfs-authd.service")], in: sandbox)
    #expect(result.status == 0 && !result.errorText.contains("mfs-authd.service:"), "\(result.errorText)")
  }
}
