internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine
internal import SecureMemory

let userOperand = OperandSpec(.text("USER"), .one, "the user's name or id")

let userCommand = CommandSpec(
  "user", "the people who sign in",
  subcommands: [
    CommandSpec(
      "add", "add a user, with the password from stdin",
      details: """
        \(PasswordInput.details) A gateway that names its users by the claim preferred_username refuses who has none: give \
        it by --claim.
        """,
      options: [
        PasswordInput.option, .flag("no-password", "the user signs in by Apple or Google only"),
      ] + ClaimInput.options,
      operands: [OperandSpec(.text("NAME"), .one, "what is typed at the sign-in, such as an e-mail address")],
      examples: [
        .init(
          "mfs-authd user add alice@example.com --name Alice --claim preferred_username=alice@example.com < password",
          "adds Alice, for a gateway too")
      ]),
    CommandSpec(
      "set", "set or remove claims of a user",
      details: """
        What is not named stays. Nobody is signed out: the next ID token of each app has the claims that its scopes let it see, and \
        userinfo has them at once.
        """,
      options: ClaimInput.options + [
        .value("remove-claim", .text("NAME"), repeats: true, "a claim that the user is not to have any more")
      ], operands: [userOperand],
      examples: [
        .init("mfs-authd user set alice@example.com --employee-id E-17", "says whose profile Alice's app shows")
      ]),
    CommandSpec(
      "list", "list the users",
      details: """
        STATE says 'disabled' of an account that is shut, and PASSWORD 'no password' of who signs in by Apple or Google only.
        """),
    userShowCommand,
    CommandSpec(
      "disable", "shut an account", details: "The user's sign-ins end at once, and so do their access tokens.",
      operands: [userOperand]),
    CommandSpec("enable", "open an account again", operands: [userOperand]),
    CommandSpec(
      "password", "set a password, from stdin",
      details: "\(PasswordInput.details) The user's sign-ins end at once, and so do their access tokens.",
      options: [PasswordInput.option],
      operands: [userOperand]),
    userUnlinkCommand,
  ])

func runUserAdd(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  guard !invocation.flag("no-password") || invocation.value("password-file") == nil else {
    throw Failure(.usage, "--no-password and --password-file contradict each other")
  }
  let claims = try ClaimInput.read(invocation, console)
  // Before anybody types a password for it.
  try call.administration.checkFree(call.operand(0))
  let password = invocation.flag("no-password") ? nil : try PasswordInput.read(call)
  let user = try call.administration.addUser(named: call.operand(0), password: password, claims: claims)
  return try call.done(user.document, "added \(user.name) as \(user.id)")
}

func runUserSet(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let given = try ClaimInput.read(invocation, console), removed = invocation.values("remove-claim")
  guard !given.isEmpty || !removed.isEmpty else {
    throw Failure(
      .usage, "user set needs something to set",
      hint: "such as --employee-id ID, --claim NAME=VALUE or --remove-claim NAME")
  }
  if let both = removed.first(where: { given[$0] != nil }) {
    throw Failure(.usage, "the claim \(OutsideText.clean(both, limit: 80)) is set and removed at once")
  }
  let user = try call.administration.setClaims(
    given, removing: removed, of: try call.administration.user(call.operand(0)))
  return try call.done(user.document, "changed the claims of \(user.name): new ID tokens have them")
}

func runUserList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list(
    "users", try call.store.users(), columns: ["NAME", "ID", "STATE", "PASSWORD"], document: \.document
  ) { user in
    [user.name, user.id, user.isDisabled ? "disabled" : nil, user.passwordHash == nil ? "no password" : nil]
  }
}

func runUserDisable(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try setDisabled(true, invocation, console)
}

func runUserEnable(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try setDisabled(false, invocation, console)
}

private func setDisabled(_ isDisabled: Bool, _ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let user = try call.administration.user(call.operand(0))
  let ended = try call.administration.setDisabled(isDisabled, user)
  return try call.done(
    ["id": .string(user.id), "disabled": .bool(isDisabled), "ended": .strings(ended.map(\.id))],
    isDisabled
      ? "shut the account of \(user.name); \(Call.count(ended.count, "sign-in")) ended"
      : "opened the account of \(user.name)")
}

func runUserPassword(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let user = try call.administration.user(call.operand(0))
  let ended = try call.administration.setPassword(try PasswordInput.read(call), of: user)
  return try call.done(
    ["id": .string(user.id), "ended": .strings(ended.map(\.id))],
    "set the password of \(user.name); \(Call.count(ended.count, "sign-in")) ended")
}
