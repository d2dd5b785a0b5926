internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine

let familyCommand = CommandSpec(
  "family", "the sign-ins: each is the family of the refresh tokens that descend from it",
  subcommands: [
    CommandSpec(
      "list", "list the sign-ins that last, newest first",
      options: [
        .value("user", .text("USER"), "of this user only"), .value("device", .text("DEVICE"), "of this device only"),
        .value("limit", .integer("N", 1...100_000), "at most so many (default: 1000)"),
      ]),
    CommandSpec(
      "revoke", "end sign-ins at once, with their access tokens",
      details: """
        With --json it says which have ended (`ended`), or with --client and --all, where there may be any number, how many (`count`). Those \
        are ended step by step beside the running server; cut off, it is run again.
        """,
      options: [
        .value("user", .text("USER"), "every one of this user"),
        .value("client", .text("ID"), "every one of this client"), .flag("all", "every one there is"),
      ], operands: [OperandSpec(.text("SID"), .optional, "the one with this sid")]),
  ])

func runFamilyList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  var user: User?
  if let name = invocation.value("user") { user = try call.administration.user(name) }
  let families = try call.store.liveFamilies(
    user: user?.id, device: invocation.value("device"), now: .now(), limit: invocation.integer("limit") ?? 1_000)
  let names = try call.names(of: families.map(\.user))
  return try call.list(
    "families", families, columns: ["SID", "USER", "CLIENT", "LAST USED", "USER NAME", "DEVICE"],
    document: { Call.document($0.document, names[$0.user]) }
  ) { family in
    [family.id, family.user, family.client, family.usedAt.rfc3339, names[family.user] ?? "-", family.device]
  }
}

func runFamilyRevoke(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let client = invocation.value("client"), isForAll = invocation.flag("all")
  var chosen: [FamilySelection] = invocation.operands.map { .id($0) }
  if let name = invocation.value("user") { chosen.append(.user(try call.administration.user(name).id)) }
  guard chosen.count + (client == nil ? 0 : 1) + (isForAll ? 1 : 0) == 1 else {
    throw Failure(
      .usage, "family revoke needs one of SID, --user, --client and --all",
      hint: "'mfs-authd family list' has the SIDs; --all ends every sign-in there is")
  }
  guard let which = chosen.first else {
    let count = try call.administration.end(client.map { ManyFamilies.client($0) } ?? .all)
    return try call.done(["count": .number(count)], "\(Call.count(count, "sign-in")) ended")
  }
  if case .id(let id) = which, try call.store.family(id: id) == nil {
    throw Failure(
      .notFound, "there is no sign-in '\(OutsideText.clean(id, limit: 100))'",
      hint: "'family list' names those that last")
  }
  let ended = try call.administration.end(which)
  return try call.done(
    ["ended": .strings(ended.map(\.id))], "\(Call.count(ended.count, "sign-in")) ended")
}
