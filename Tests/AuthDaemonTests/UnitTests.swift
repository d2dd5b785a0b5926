import TestSupport
import Testing

/// The sample unit of docs/systemd.
@Suite struct UnitTests {
  @Test func theSampleUnitIsSound() throws {
    try SampleUnit("mfs-authd.service", program: "mfs-authd").expectSound(
      [
        "mfs-authd --config", " serve\n", "NoNewPrivileges=yes", "ProtectSystem=strict", "LoadCredential=mfs-authd.key",
        "RestartPreventExitStatus=", "SystemCallFilter=@system-service", "ExecReload=/bin/kill -HUP $MAINPID\n",
      ], exposure: 15)
  }
}
