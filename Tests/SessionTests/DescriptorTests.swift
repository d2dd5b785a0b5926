import Foundation
import TestSupport
import Testing

/// A system that has hardly any descriptors to give.
@Suite struct DescriptorTests {
  /// What cannot be looked at for want of descriptors is no fault of the plugin's.
  @Test func aLackOfDescriptorsIsNoVerdictOnAPlugin() throws {
    let device = try DeviceBuild()
    try device.sandbox.write(".env", "EXPO_PUBLIC_AUTH_STRATEGY=demo\n")
    var statuses: Set<Int32> = []
    for limit in 4...16 {
      let result = try run(
        ["sh", "-c", "ulimit -n \(limit); exec \(Programs.buildFolder)/mfsctl-full session login --identifier ana"],
        in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
      statuses.insert(result.status)
      // At 4 the dynamic loader itself may have none.
      #expect([0, 41, 127].contains(result.status), "\(limit): \(result.status) \(result.errorText)")
      if result.status == 41 { #expect(result.errorText.contains("ulimit -n"), "\(limit): \(result.errorText)") }
    }
    #expect(statuses.isSuperset(of: [0, 41]))
  }
}
