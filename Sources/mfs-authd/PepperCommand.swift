internal import BackendAdmin
internal import BackendKeys
internal import Basics
internal import CommandLine

let pepperCommand = CommandSpec(
  "pepper", "the keys that turn refresh tokens, codes and cookies into what is stored of them",
  subcommands: [
    CommandSpec("list", "list the peppers that count"),
    CommandSpec(
      "rotate", "make the next pepper now",
      details: "What was hashed with the old one counts on; it is kept as long as the configuration says."),
    CommandSpec(
      "retire", "take a pepper out of use at once, because others may know it",
      details: "Whatever was hashed with it counts no more: everybody whose token that was signs in again.",
      operands: [OperandSpec(.integer("NUMBER", 1...Int.max), .one, "the pepper's number")]),
  ])

func runPepperList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list("peppers", try call.peppers().list(), document: \.document, line: keyLine)
}

func runPepperRotate(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let key = try call.peppers().rotateNow().key
  return try call.done(key.document, "the next pepper is number \(key.number), used from \(key.activeAt.rfc3339) on")
}

func runPepperRetire(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  _ = try call.peppers().retire(Int64(call.operand(0)) ?? 0)
  return try call.done(
    ["number": .number(Int64(call.operand(0)) ?? 0), "retired": true], "pepper \(call.operand(0)) counts no more")
}
