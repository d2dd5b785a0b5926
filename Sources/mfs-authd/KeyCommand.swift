internal import BackendAdmin
internal import BackendKeys
internal import Basics
internal import CommandLine

let keyCommand = CommandSpec(
  "key", "the keys that sign tokens",
  subcommands: [
    CommandSpec(
      "list", "list the keys that count",
      details: "Keys and peppers are numbered together, in the order in which they were made."),
    CommandSpec(
      "rotate", "make the next key now",
      details: """
        A running server publishes it within minutes, and it signs when everybody can know it; the old one stays published until its last \
        token is over. While a key waits for that already, none is made, and that one is named. With --json, `made` says whether one was.
        """),
    CommandSpec(
      "retire", "take a key out of use at once, because others may know it",
      details: """
        Nothing that it signed is accepted any more, and another key signs at once. A running server goes on with it until it reads the \
        keys again, a few minutes at most (`knownWithinSeconds` with --json). A kid that begins with '-' stands behind --.
        """,
      operands: [OperandSpec(.text("KID"), .one, "the key's kid")]),
  ])

func runKeyList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list(
    "keys", try call.keyRing().list(), columns: keyColumns + ["ALGORITHM", "KID"], document: \.document, row: keyRow)
}

func runKeyRotate(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let ring = try call.keyRing()
  let turned = try ring.rotateNow(), key = turned.key
  return try call.done(
    key.document(made: turned.isMade, knownWithin: ring.knownWithinSeconds),
    turned.isMade
      ? "made the key \(key.keyID): a running server publishes it within \(ring.knownWithinSeconds) s, and it signs from \(key.activeAt.rfc3339) on"
      : "made none: the key \(key.keyID) waits since \(key.createdAt.rfc3339), and signs from \(key.activeAt.rfc3339) on"
  )
}

func runKeyRetire(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let ring = try call.keyRing()
  try ring.retire(call.operand(0))
  let next = try ring.signingKey(now: .now()).keyID
  return try call.done(
    [
      "kid": .string(call.operand(0)), "retired": true, "signing": .string(next),
      "knownWithinSeconds": .integer(ring.knownWithinSeconds),
    ],
    """
    the key \(call.operand(0)) is out of use, and \(next) signs
    \(goesOn(for: ring.knownWithinSeconds))
    """)
}

/// What is said of a server that runs when a key or a pepper was taken out of use.
func goesOn(for seconds: Int64) -> String {
  "a running server goes on with it for at most \(seconds) s; a restart ends that at once"
}

extension KeyStatus {
  /// The document of a rotation: the key, and whether it was made now.
  func document(made: Bool, knownWithin seconds: Int64) -> JSONValue {
    .object(
      (document.members ?? []) + [.init("made", .bool(made)), .init("knownWithinSeconds", .integer(seconds))])
  }
}

let keyColumns = ["NUMBER", "STATE", "FROM", "UNTIL"]

func keyRow(_ key: KeyStatus) -> [String?] {
  ["\(key.number)", key.state.rawValue, key.activeAt.rfc3339, key.removedAt?.rfc3339]
    + (key.keyID.isEmpty ? [] : [key.algorithm, key.keyID])
}
