internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine

let userShowCommand = CommandSpec(
  "show", "show a user, with the identities at Apple and Google that open the account",
  details: """
    Of an identity it has the provider, since when it is linked, and a digest of who it is there: the provider's own name for them is \
    kept nowhere.
    """, operands: [userOperand],
  examples: [.init("mfs-authd user show alice@example.com", "says what there is of Alice")])

let userUnlinkCommand = CommandSpec(
  "unlink", "take an identity at Apple or Google from a user",
  details: """
    The user's sign-ins end at once, by whatever way they began, and so do their access tokens; a sign-in by that identity that is under \
    way does not begin. Whoever has the e-mail address that the account is named by, and has it verified by the provider, is linked anew \
    at the next sign-in: that is what lets a new owner of an address in. To keep somebody out, disable the account.
    """,
  operands: [
    userOperand,
    OperandSpec(.text("PROVIDER"), .one, "which of the identities: apple, google or as 'user show' has it"),
  ],
  examples: [.init("mfs-authd user unlink alice@example.com google", "ends what Alice's account at Google opens")])

func runUserShow(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let user = try call.administration.user(call.operand(0))
  let links = try call.administration.links(of: user)
  guard !console.json else {
    try console.document(
      .object((user.document.members ?? []) + [.init("identities", .array(links.map(\.document)))]))
    return .done
  }
  func line(_ text: String) throws(Failure) { try console.line(OutsideText.clean(text, limit: 2_000)) }
  try line(user.name)
  try line("  id        \(user.id)")
  try line("  account   \(user.isDisabled ? "disabled" : "open"), made \(user.createdAt.rfc3339)")
  try line(
    "  password  " + (user.passwordHash == nil ? "none" : "set \((user.passwordChangedAt ?? user.createdAt).rfc3339)"))
  for (name, value) in user.claims.sorted(by: { $0.key < $1.key }) { try line("  claim     \(name) = \(value.text)") }
  for link in links {
    try line("  identity  \(link.issuer), linked \(link.linkedAt.rfc3339), \(link.subject)")
  }
  return .done
}

func runUserUnlink(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let user = try call.administration.user(call.operand(0)), provider = call.operand(1)
  let ended = try call.administration.unlink(provider, from: user)
  return try call.done(
    ["id": .string(user.id), "provider": .string(provider), "ended": .strings(ended.map(\.id))],
    "took the identity at \(provider) from \(user.name); \(Call.count(ended.count, "sign-in")) ended")
}
