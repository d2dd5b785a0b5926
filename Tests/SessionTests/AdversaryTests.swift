import Foundation
import TestSupport
import Testing

/// A hostile plugin, installed and pinned by its user, as the command line shows it.
@Suite struct AdversaryTests {
  /// An attack, and what stderr says of it.
  typealias Attack = (name: String, said: String)

  /// Attacks that one device build suffers one after the other.
  struct Attacks: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let list: [Attack]
    static let all = [
      Attacks(testDescription: "on files", list: AdversaryTests.files),
      Attacks(testDescription: "on its parent", list: AdversaryTests.parent),
      Attacks(testDescription: "on the system", list: AdversaryTests.system),
      Attacks(testDescription: "by misbehaviour", list: AdversaryTests.misbehaviour),
    ]
  }

  static let files: [Attack] = [
    ("open-target", "it tried to reach the file {target} (system call openat)"),
    ("stat-target", "it tried to reach the file {target} (system call newfstatat)"),
    ("unlink", "it tried to reach the file {target} (system call unlink"),
    ("open-passwd", "it tried to reach the file /etc/passwd (system call openat)"),
    ("openat2", "it tried to reach the file /etc/passwd (system call openat2)"),
    ("open-write", "it tried to reach the file /tmp/mfs-adversary"),
    ("self-environ", "it tried to reach the file /proc/self/environ"),
    ("self-mem", "it tried to reach the file /proc/self/mem"), ("memfd", "(system call memfd_create)"),
    // Not stopped: there is nothing to find.
    ("environment", "the strategy adversary failed: environ gave -1"),
    ("descriptors", "the strategy adversary failed: read of other descriptors gave -1"),
  ]

  static let parent: [Attack] = [
    ("parent-mem", "it tried to reach the file /proc/{parent}/mem"),
    ("parent-environ", "it tried to reach the file /proc/{parent}/environ"),
    ("parent-cmdline", "it tried to reach the file /proc/{parent}/cmdline"),
    ("parent-fd", "it tried to reach the file /proc/{parent}/fd/3"), ("ptrace", "(system call ptrace)"),
    ("vm-read", "(system call process_vm_readv)"), ("vm-write", "(system call process_vm_writev)"),
    ("pidfd-open", "(system call pidfd_open)"), ("pidfd-getfd", "(system call pidfd_getfd)"),
    ("kcmp", "(system call kcmp)"), ("kill", "(system call kill)"), ("kill-group", "(system call kill)"),
    ("tgkill", "(system call tgkill)"), ("tkill", "(system call tkill)"), ("sigqueue", "(system call rt_sigqueueinfo)"),
    ("getppid", "(system call getppid)"), ("affinity", "(system call sched_getaffinity)"),
    ("processor-time", "(system call clock_gettime)"), ("rlimit-parent", "(system call prlimit64)"),
  ]

  static let system: [Attack] = [
    ("socket-inet", "(system call socket)"), ("socket-unix", "(system call socket)"),
    ("socket-netlink", "(system call socket)"), ("io-uring", "(system call io_uring_setup)"),
    ("fork", "it tried to start a thread or a process (system call clone)"), ("clone", "(system call clone)"),
    ("clone3", "(system call clone3)"), ("clone-namespace", "(system call clone)"),
    ("thread-bomb", "most likely to start a thread or a program"), ("execve", "it tried to reach the file /bin/sh"),
    ("execveat", "(system call execveat)"), ("ptrace-me", "(system call ptrace)"), ("bpf", "(system call bpf)"),
    ("userfaultfd", "(system call userfaultfd)"), ("unshare", "(system call unshare)"),
    ("dumpable", "(system call prctl)"), ("mmap-rwx", "(system call mmap)"), ("mprotect", "(system call mprotect)"),
  ]

  static let misbehaviour: [Attack] = [
    ("trap", "killed by SIGILL"), ("segv", "killed by SIGSEGV"), ("abort", "killed by SIGABRT"),
    ("stack", "killed by SIGSEGV"), ("exit", "ended with status 0 before it answered"),
    ("exit-63", "ended with status 63 before it answered"), ("garbage", "cannot be read"),
    ("half-frame", "before it answered"), ("huge-frame", "cannot be read"),
    ("no-result", "it returned without reporting a result"),
    ("not-utf8", "it reported a result that is malformed"),
  ]

  @Test(arguments: Surroundings.all, Attacks.all)
  func anAttackIsExit65AndSaysWhatHappened(surroundings: Surroundings, attacks: Attacks) throws {
    guard surroundings.isHere() else { return }
    let hostile = try HostileDevice(surroundings)
    for attack in attacks.list {
      let result = try hostile.login(attack: attack.name)
      // 125 is that of Tests/Plugins/alone.c: a process is left.
      #expect(result.status == 65, "\(attack.name): \(result.errorText)")
      #expect(result.text.isEmpty, "\(attack.name)")
      let lines = result.errorText.split(separator: "\n")
      let start = #"{"error":{"code":"plugin.failed","message":"the "#
      #expect(lines.count == 1 && result.errorText.hasPrefix(start), "\(attack.name): \(result.errorText)")
      #expect(result.errorText.contains("adversary"), "\(attack.name): \(result.errorText)")
      #expect(result.errorText.contains("tell the plugin's author"), "\(attack.name): \(result.errorText)")
      let said = attack.said.replacing("{target}", with: hostile.vault).split(separator: "{parent}")
      for part in said { #expect(result.errorText.contains(part), "\(attack.name): \(result.errorText)") }
      // It knew its parent's number: else it attacked nobody.
      #expect(!result.errorText.contains("/proc/0/"), "\(attack.name): \(result.errorText)")
      try hostile.expectUnharmed(attack.name)
    }
    try hostile.expectVaultOpens()
  }

  /// Sixty seconds are three: the command's clock is made to run twenty times as fast, its child's is not.
  @Test(arguments: Surroundings.all, ["sleep", "loop"])
  func oneThatHangsIsEndedAtTheDeadline(surroundings: Surroundings, attack: String) throws {
    guard surroundings.isHere() else { return }
    let hostile = try HostileDevice(surroundings)
    let start = ContinuousClock.now
    let result = try hostile.login(attack: attack, wrapper: Machine.faketime("+0 x20"))
    let took = ContinuousClock.now - start
    #expect(result.status == 65, "\(result.errorText)")
    #expect(
      result.errorText.hasPrefix(
        #"{"error":{"code":"plugin.failed","message":"the plugin 'adversary' was not done after 60 seconds","#),
      "\(result.errorText)")
    #expect(took >= .milliseconds(2_900) && took < .seconds(20), "\(took)")
    try hostile.expectUnharmed(attack)
    try hostile.expectVaultOpens()
  }

  /// Ctrl-C ends the command and the plugin, whatever the plugin does.
  @Test(arguments: ["sleep", "loop", "polite-loop"]) func oneThatHangsCanBeCancelled(attack: String) throws {
    let hostile = try HostileDevice(Surroundings.all[Machine.hasLandlock ? 0 : 1])
    let result = try hostile.login(
      attack: attack, wrapper: ["timeout", "--foreground", "-s", "INT", "--preserve-status", "0.5"])
    #expect(result.status == 130, "\(result.errorText)")
    #expect(result.errorText.contains("cancelled while the plugin 'adversary' was at work"), "\(result.errorText)")
    try hostile.expectUnharmed(attack)
    try hostile.expectVaultOpens()
  }
}
