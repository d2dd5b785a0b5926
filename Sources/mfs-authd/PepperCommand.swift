internal import BackendAdmin
internal import BackendKeys
internal import BackendStore
internal import Basics
internal import CommandLine

let pepperCommand = CommandSpec(
  "pepper", "the keys that turn refresh tokens, codes and cookies into what is stored of them",
  subcommands: [
    CommandSpec(
      "list", "list the peppers that count",
      details:
        "Keys and peppers are numbered together, in the order in which they were made: the first pepper is number 2."),
    CommandSpec(
      "rotate", "make the next pepper now",
      details: """
        What was hashed with the old one counts on; it is kept as long as the configuration says. While a pepper waits for its time \
        already, none is made, and that one is named. With --json, `made` says whether one was.
        """),
    CommandSpec(
      "retire", "take a pepper out of use at once, because others may know it",
      details: """
        Whatever was hashed with it counts no more: everybody whose token or browser's cookie that was signs in again, and the resource servers whose \
        secrets those were, which are named, need new ones by 'resource add --replace'. A running server goes on with it until \
        it reads the peppers again, a few minutes at most (`knownWithinSeconds` with --json).
        """,
      operands: [OperandSpec(.integer("NUMBER", 1...Int.max), .one, "the pepper's number")]),
  ])

func runPepperList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list("peppers", try call.peppers().list(), columns: keyColumns, document: \.document, row: keyRow)
}

func runPepperRotate(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let peppers = try call.peppers()
  let turned = try peppers.rotateNow(), key = turned.key
  return try call.done(
    key.document(made: turned.isMade, knownWithin: peppers.knownWithinSeconds),
    turned.isMade
      ? "made pepper \(key.number): it is used from \(key.activeAt.rfc3339) on"
      : "made none: pepper \(key.number) waits since \(key.createdAt.rfc3339), and is used from \(key.activeAt.rfc3339) on"
  )
}

func runPepperRetire(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let peppers = try call.peppers(), number = Int64(call.operand(0)) ?? 0
  try peppers.retire(number)
  let refused = try call.store.resourceServers().filter { $0.secret.pepper == number }
  let needs = refused.map {
    "\nneeds a new secret: mfs-authd resource add \(OutsideText.clean($0.name, limit: 128)) --replace --audience "
      + OutsideText.clean($0.audience, limit: 256)
  }
  return try call.done(
    [
      "number": .number(number), "retired": true, "resourceServers": .strings(refused.map(\.name)),
      "knownWithinSeconds": .integer(peppers.knownWithinSeconds),
    ],
    """
    pepper \(number) is out of use: whoever holds what was hashed with it signs in again\(needs.joined())
    \(goesOn(for: peppers.knownWithinSeconds))
    """)
}
