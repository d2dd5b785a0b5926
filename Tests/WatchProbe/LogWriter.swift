internal import Basics
internal import Glibc
internal import Session

/// Writes a decision COUNT times to the log in a folder, which holds LIMIT bytes a file. Says `ready` once it could begin, and
/// begins when nobody has the file GATE locked any more.
func writeLog(_ folder: String, gate: String, limit: Int, count: Int) throws(Failure) {
  let clock = Clock()
  var decisions: [SessionDecision] = []
  let service = SessionService(
    configuration: try SessionConfiguration(settings: [
      "EXPO_PUBLIC_AUTH_STRATEGY": "basic", "EXPO_PUBLIC_SG_URL": "wss://sync.example.com",
    ]), vault: MemoryVault(), strategies: Strategies(clock),
    lock: RefreshLock(path: folder + "/refresh-\(getpid()).lock", command: "session login"),
    clock: { clock.reading.wall }, onDecision: { decisions.append($0) })
  _ = try service.login(identifier: "ada", prompter: Nobody())
  guard let decision = decisions.first(where: { $0.event == "loginRequested" }) else {
    throw Failure(.bug, "a sign-in without a request for one")
  }
  let log = DecisionLog(
    Directories(config: folder, data: folder, state: folder, runtime: nil), profile: .default, limit: limit)
  let file = try FileDescriptor.open(gate, flags: O_RDONLY)
  print("ready")
  fflush(nil)
  guard flock(file.raw, LOCK_SH) == 0 else { throw Failure(.bug, "the gate cannot be waited for") }
  for _ in 0..<count { try log.append(decision) }
}
