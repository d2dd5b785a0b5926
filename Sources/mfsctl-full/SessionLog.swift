internal import Basics
internal import CommandLine
internal import Glibc
internal import Session
internal import mfsctlCommands

/// `session log`: it needs neither the vault nor the settings.
func sessionLog(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let directories = try Directories(environment: .current())
  let log = DecisionLog(directories, profile: try invocation.profile())
  let limit = invocation.integer("limit") ?? 50
  guard invocation.flag("follow") else {
    let lines = try log.newest(limit)
    if lines.isEmpty, limit > 0 { console.note("nothing has been decided for this profile yet") }
    for line in lines { try print(line, console) }
    return .done
  }
  // The folder is to be there to be watched, and is made as a first decision would make it.
  try Files.makePrivateDirectory(directories.state)
  let signals = try WatchSignals()
  let watch = FolderWatch(directories.state)
  let follower = DecisionLogFollower(log)
  // What the follower finds first is all that there is; the rotated file is older than that.
  let current = try follower.new()
  let earlier = current.count >= limit ? [] : try log.newest(limit).dropLast(current.count)
  for line in Array(earlier) + current.suffix(limit) { try print(line, console) }
  while true {
    var ready = [watch?.descriptor ?? -1, signals.interruption, signals.termination].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    // Nothing is read from the output; that its reader has gone is told all the same.
    ready.append(pollfd(fd: 1, events: 0, revents: 0))
    unsafe poll(&ready, nfds_t(ready.count), watch == nil ? 500 : 60_000)
    if ready[1].revents != 0 { return .cancelled }
    if ready[2].revents != 0 { return .done }
    if ready[3].revents & Int16(POLLERR) != 0 { throw Failure(.closedPipe, "the reader of the output has gone") }
    watch?.take()
    for line in try follower.new() { try print(line, console) }
  }
}

private func print(_ decision: LoggedDecision, _ console: Console) throws(Failure) {
  if console.json { try console.document(decision.json) } else { try console.line(decision.line) }
}
