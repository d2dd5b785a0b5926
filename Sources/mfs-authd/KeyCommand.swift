internal import BackendAdmin
internal import BackendKeys
internal import Basics
internal import CommandLine

let keyCommand = CommandSpec(
  "key", "the keys that sign tokens",
  subcommands: [
    CommandSpec("list", "list the keys that count"),
    CommandSpec(
      "rotate", "make the next key now",
      details: """
        It is published now and signs when everybody can know it; the old one stays published until its last token is over. While a \
        key waits for that already, none is made.
        """),
    CommandSpec(
      "retire", "take a key out of use at once, because others may know it",
      details: """
        Nothing that it signed is accepted any more. A running server follows within minutes. A kid that begins with '-' stands behind --.
        """,
      operands: [OperandSpec(.text("KID"), .one, "the key's kid")]),
  ])

func runKeyList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list("keys", try call.keyRing().list(), document: \.document, line: keyLine)
}

func runKeyRotate(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let key = try call.keyRing().rotateNow().key
  return try call.done(key.document, "the next key is \(key.keyID); it signs from \(key.activeAt.rfc3339) on")
}

func runKeyRetire(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  _ = try call.keyRing().retire(call.operand(0))
  return try call.done(["kid": .string(call.operand(0)), "retired": true], "the key \(call.operand(0)) counts no more")
}

func keyLine(_ key: KeyStatus) -> String {
  "\(key.number)  \(key.state.rawValue)  from \(key.activeAt.rfc3339)"
    + (key.removedAt.map { "  until \($0.rfc3339)" } ?? "")
    + (key.keyID.isEmpty ? "" : "  \(key.algorithm)  \(key.keyID)")
}
