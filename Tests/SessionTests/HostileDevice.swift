import Foundation
import TestSupport
import Testing

/// Who runs the command, and on what kernel.
struct Surroundings: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let isUnprivileged: Bool
  let hasLandlock: Bool

  /// As the tests run and as a user without privileges, who is somebody else only where the tests run as root; each with
  /// Landlock, which the kernel must have, and without it.
  static let all: [Surroundings] = [false, true].flatMap { isUnprivileged in
    [true, false].map { hasLandlock in
      Surroundings(
        testDescription: (isUnprivileged ? "unprivileged" : "as started") + (hasLandlock ? "" : ", without Landlock"),
        isUnprivileged: isUnprivileged, hasLandlock: hasLandlock)
    }
  }

  /// Says so where this is not what it says, and returns whether it is.
  func isHere() -> Bool {
    if isUnprivileged, geteuid() != 0 {
      notTested("the command as another user: the tests do not run as root, so this is what \"as started\" tests")
      return false
    }
    if hasLandlock, !Machine.hasLandlock {
      notTested("the command with Landlock: this kernel has none")
      return false
    }
    return true
  }
}

/// A device build whose strategy is `Tests/Plugins/adversary.c`, installed and pinned by its user; and what watches the
/// command that runs it.
final class HostileDevice {
  let device: DeviceBuild
  let surroundings: Surroundings
  let vault: String
  private let sealed: Data

  /// `flags` are the C compiler's, for the plugin.
  init(_ surroundings: Surroundings, flags: [String] = []) throws {
    self.surroundings = surroundings
    device = try DeviceBuild()
    let sandbox = device.sandbox
    vault = sandbox("home/data/vault/default.mfsv")
    sealed = try Data(contentsOf: URL(fileURLWithPath: vault))
    try sandbox.write(
      "home/data/plugins/mfs-strategy-adversary.yaml",
      """
      manifest: 1
      name: adversary
      version: "1"
      abi: 1
      summary: Attacks.
      operations: [login]
      interaction: never
      settings: [{name: ATTACK, required: true}, {name: TARGET}, {name: PARENT}]

      """)
    try sandbox.write(
      "env/catalog.yaml",
      """
      version: 1
      groups: [{id: app, title: App}]
      settings:
        - {name: EXPO_PUBLIC_AUTH_STRATEGY, group: app, type: enum, values: [adversary], summary: The strategy.}
        - {name: EXPO_PUBLIC_SG_URL, group: app, type: url, schemes: [http], summary: The gateway.}

      """)
    let plugins = sandbox("home/data/plugins")
    try compile(
      "adversary.c", "\(plugins)/libmfs-strategy-adversary.so",
      flags + ["-shared", "-fPIC", "-I\(Programs.checkout)/Sources/StrategyPlugins/ABI/include"])
    try compile("alone.c", sandbox("alone"))
    try compile("without.c", sandbox("without"))
    let pinned = try device.mfsctl("strategy", "trust", "--yes", "\(plugins)/libmfs-strategy-adversary.so")
    try #require(pinned.status == 0, "\(pinned.errorText)")
    if surroundings.isUnprivileged { try giveAway() }
  }

  /// Signs in, the plugin trying this. `wrapper` stands before the command and becomes it.
  func login(attack: String, wrapper: [String] = [], options: [String] = []) throws -> RunResult {
    let sandbox = device.sandbox
    try sandbox.write(
      ".env",
      """
      EXPO_PUBLIC_AUTH_STRATEGY=adversary
      EXPO_PUBLIC_SG_URL=\(device.lab.origin)
      ATTACK=\(attack)
      TARGET=\(vault)
      PARENT=0

      """)
    // A process keeps its number as it becomes another program: this is whom the plugin's process is a child of.
    let line = "export PARENT=$$; exec \"$@\""
    let weaker = surroundings.hasLandlock ? [] : ["--isolation", "prefer"]
    return try run(
      [sandbox("alone")] + prefix + wrapper
        + ["/bin/sh", "-c", line, "sh", programs + "/mfsctl", "--json", "session", "login", "--identifier", "alice"]
        + weaker + options,
      in: sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")])
  }

  /// Expects that nothing came of it: the vault is, byte for byte, what it was, and nobody signed in.
  func expectUnharmed(_ attack: String) throws {
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault)) == sealed, "\(attack)")
    #expect(device.lab.gateway.sessionCount == 0, "\(attack)")
  }

  /// Expects that the vault opens and has what it had.
  func expectVaultOpens() throws {
    let sandbox = device.sandbox
    let value = try run(
      prefix + [programs + "/mfsctl", "vault", "get", "mfs.dbkey.main"], in: sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")])
    #expect(value.status == 0 && value.text == Canary.databaseKey, "\(value.errorText)")
  }

  private var programs: String { surroundings.isUnprivileged ? device.sandbox("programs") : Programs.buildFolder }

  private var prefix: [String] {
    (surroundings.isUnprivileged ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [])
      + (surroundings.hasLandlock ? [] : [device.sandbox("without"), "landlock"])
  }

  // The programs go to a place that everybody can reach, and what they own to the other user.
  private func giveAway() throws {
    let sandbox = device.sandbox
    let line = """
      mkdir programs && cp '\(Programs.buildFolder)'/mfsctl '\(Programs.buildFolder)'/mfsctl-full \
      '\(Programs.buildFolder)'/mfs-strategy-host programs && chmod 755 . && chown -R 65534:65534 home key
      """
    let result = try run(["sh", "-euc", line], in: sandbox)
    try #require(result.status == 0, "\(result.errorText)")
  }

  private func compile(_ source: String, _ target: String, _ arguments: [String] = []) throws {
    let compiled = try run(
      ["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"] + arguments
        + ["-o", target, "\(Programs.checkout)/Tests/Plugins/\(source)"], in: device.sandbox)
    try #require(compiled.status == 0, "\(compiled.errorText)")
  }
}
