import Foundation
import TestSupport
import Testing

/// A hostile plugin, installed and pinned by its user, as the command line shows it.
@Suite struct AdversaryTests {
  /// A device build whose strategy is `Tests/Plugins/adversary.c`.
  private func device() throws -> DeviceBuild {
    let device = try DeviceBuild()
    let plugins = device.sandbox("home/data/plugins")
    try device.sandbox.write(
      "home/data/plugins/mfs-strategy-adversary.yaml",
      """
      manifest: 1
      name: adversary
      version: "1"
      abi: 1
      summary: Attacks.
      operations: [login]
      interaction: never
      settings: [{name: ATTACK, required: true}, {name: TARGET}]

      """)
    try device.sandbox.write(
      "env/catalog.yaml",
      """
      version: 1
      groups: [{id: app, title: App}]
      settings:
        - {name: EXPO_PUBLIC_AUTH_STRATEGY, group: app, type: enum, values: [adversary], summary: The strategy.}
        - {name: EXPO_PUBLIC_SG_URL, group: app, type: url, schemes: [http], summary: The gateway.}

      """)
    let compiled = try run(
      [
        "gcc", "-std=gnu11", "-O1", "-shared", "-fPIC", "-I\(Programs.checkout)/Sources/StrategyPlugins/ABI/include",
        "-o", "\(plugins)/libmfs-strategy-adversary.so", "\(Programs.checkout)/Tests/Plugins/adversary.c",
      ], in: device.sandbox)
    try #require(compiled.status == 0, "\(compiled.errorText)")
    let pinned = try device.mfsctl("strategy", "lock", plugins)
    try #require(pinned.status == 0, "\(pinned.errorText)")
    return device
  }

  @Test(arguments: [
    ("open-target", "it tried to reach the file"), ("open-passwd", "it tried to reach the file /etc/passwd"),
    ("self-environ", "/proc/self/environ"), ("socket-inet", "(system call socket)"),
    ("io-uring", "(system call io_uring_setup)"), ("fork", "(system call clone)"),
    ("thread-bomb", "most likely to start a thread or a program"), ("execve", "(system call execve)"),
    ("ptrace", "(system call ptrace)"), ("pidfd-open", "(system call pidfd_open)"), ("kill", "(system call kill)"),
    ("segv", "killed by SIGSEGV"), ("exit", "ended with status 0 before it answered"), ("garbage", "cannot be read"),
  ])
  func anAttackIsExit65AndSaysWhatHappened(attack: String, said: String) throws {
    let device = try device()
    let vault = device.sandbox("home/data/vault/default.mfsv")
    let before = try Data(contentsOf: URL(fileURLWithPath: vault))
    try device.sandbox.write(
      ".env",
      """
      EXPO_PUBLIC_AUTH_STRATEGY=adversary
      EXPO_PUBLIC_SG_URL=\(device.lab.origin)
      ATTACK=\(attack)
      TARGET=\(vault)

      """)
    let result = try device.mfsctl("--json", "session", "login", "--identifier", "alice")
    #expect(result.status == 65, "\(result.errorText)")
    #expect(result.text.isEmpty)
    #expect(result.errorText.hasPrefix(#"{"error":{"code":"plugin.failed","message":"the plugin 'adversary'"#))
    #expect(result.errorText.contains(said), "\(result.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault)) == before)
    #expect(device.lab.gateway.sessionCount == 0)
  }
}
