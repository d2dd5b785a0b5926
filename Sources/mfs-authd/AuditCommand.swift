internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine

let auditCommand = CommandSpec(
  "audit", "the log of what happened, each record chained to the one before",
  subcommands: [
    CommandSpec(
      "show", "print records in order; with --json one object on each line",
      options: [
        .value("after", .integer("NUMBER", 0...Int.max), "only those after this number (default: 0)"),
        .value("limit", .integer("N", 1...1_000_000), "at most so many (default: 1000)"),
        .value("last", .integer("N", 1...1_000_000), "only the last so many"),
      ]),
    CommandSpec(
      "verify", "find the first record that is not what was written",
      details: """
        Prints the digest of the last record. Noted elsewhere, it also shows when the end was cut off or all was written anew: it must \
        be the digest of that record for ever. Exit 31 when a record is broken, or is not the one of --head.
        """,
      options: [.value("head", .text("NUMBER:DIGEST"), "a record that was noted before, and its digest")]),
  ])

func runAuditShow(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  var after = Int64(invocation.integer("after") ?? 0), left = invocation.integer("limit") ?? 1_000
  if let last = invocation.integer("last") {
    guard invocation.value("after") == nil, invocation.value("limit") == nil else {
      throw Failure(
        .usage, "--last goes with neither --after nor --limit", hint: "use --last N, or --after NUMBER with --limit N")
    }
    (after, left) = (max(0, try call.store.lastAuditNumber() - Int64(last)), last)
  }
  // Records are shown as they are read, so what stands in the columns is not known: a number has the room of its head.
  let isTable = console.outputIsTerminal && !console.json, head = "NUMBER"
  if isTable { try console.line("\(head)  \(Call.padded("AT", 20))  EVENT  FACTS") }
  while left > 0 {
    let records = try call.store.auditRecords(after: after, limit: min(left, 1_000))
    for record in records {
      if console.json {
        try console.document(record.document)
      } else {
        let facts = record.fields.map { "  \($0.name)=\($0.value)" }.joined()
        try console.line(
          OutsideText.clean(
            "\(isTable ? Call.padded("\(record.number)", head.count) : "\(record.number)")  \(record.at.rfc3339)  \(record.event)\(facts)",
            limit: 4_000))
      }
    }
    guard let last = records.last else { break }
    after = last.number
    left -= records.count
  }
  return .done
}

func runAuditVerify(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  var verdict = try call.store.verifyAudit()
  if let head = invocation.value("head") {
    let parts = head.split(separator: ":").map(String.init)
    guard parts.count == 2, let number = Int64(parts[0]), number > 0, parts[1].utf8.count == 64 else {
      throw Failure(
        .usage, "--head needs NUMBER:DIGEST, as 'audit verify' printed it",
        hint: "such as 120: and 64 hexadecimal digits")
    }
    let record = try call.store.auditRecords(after: number - 1, limit: 1).first
    if verdict.firstBroken ?? .max > number,
      record?.number != number || record.map({ Hexadecimal.encode($0.digest) }) != parts[1].lowercased()
    {
      verdict.firstBroken = number
    }
  }
  let digest = Hexadecimal.encode(verdict.head)
  if console.json {
    try console.document([
      "records": .integer(verdict.good), "firstBroken": verdict.firstBroken.map { .integer($0) } ?? .null,
      "head": .string(digest),
    ])
  } else if let broken = verdict.firstBroken {
    try console.line("record \(broken) is not what was written")
  } else {
    try console.line("\(verdict.good):\(digest)")
  }
  return verdict.firstBroken == nil ? .done : FailureCode.vaultTampered.exit
}
