import Foundation
import TestSupport
import Testing

/// `--isolation` on a kernel that seems to have no Landlock.
@Suite struct IsolationTests {
  /// A device build for the strategy `demo`, and a program that runs another without Landlock.
  private func device() throws -> (DeviceBuild, without: String) {
    let device = try DeviceBuild()
    let without = device.sandbox("without")
    let compiled = try run(["gcc", "-o", without, "\(Programs.checkout)/Tests/Plugins/without.c"], in: device.sandbox)
    try #require(compiled.status == 0, "\(compiled.errorText)")
    // Nothing in the app's folder may weaken it.
    try device.sandbox.write(
      ".env",
      """
      EXPO_PUBLIC_AUTH_STRATEGY=demo
      MFSCTL_ISOLATION=prefer
      ISOLATION=prefer

      """)
    try device.sandbox.write("mfsctl.yaml", "isolation: prefer\n")
    return (device, without)
  }

  private func login(_ device: DeviceBuild, _ without: String, lacking part: String, _ options: [String]) throws
    -> RunResult
  {
    try run(
      [without, part, Programs.buildFolder + "/mfsctl", "session", "login", "--identifier", "ana"] + options,
      in: device.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key"), "MFSCTL_ISOLATION": "prefer"])
  }

  @Test(arguments: [[], ["--isolation", "require"], ["--isolation=require"]])
  func withoutLandlockNothingRunsUnlessAsked(options: [String]) throws {
    let (device, without) = try device()
    let result = try login(device, without, lacking: "landlock", options)
    #expect(result.status == 64, "\(result.errorText)")
    #expect(result.errorText.contains("this kernel has no Landlock"), "\(result.errorText)")
    #expect(result.errorText.contains("--isolation prefer"), "\(result.errorText)")
    #expect(try !device.names().contains("auth.signInId"))
  }

  @Test func preferGoesOnWithTheSystemCallFilterAlone() throws {
    let (device, without) = try device()
    let result = try login(device, without, lacking: "landlock", ["--isolation", "prefer"])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try device.names().contains("auth.signInId"))
  }

  @Test func withoutTheSystemCallFilterNothingRunsWhateverIsAsked() throws {
    let (device, without) = try device()
    for options in [[], ["--isolation", "prefer"]] {
      let result = try login(device, without, lacking: "seccomp", options)
      #expect(result.status == 64, "\(result.errorText)")
      #expect(result.errorText.contains("no isolation"), "\(result.errorText)")
    }
  }
}
