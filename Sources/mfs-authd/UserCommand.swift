internal import BackendAdmin
internal import BackendKeys
internal import BackendStore
internal import Basics
internal import CommandLine
internal import SecureMemory

private let userOperand = OperandSpec(.text("USER"), .one, "the user's name or id")

let userCommand = CommandSpec(
  "user", "the people who sign in",
  subcommands: [
    CommandSpec(
      "add", "add a user, with the password from stdin",
      options: [
        PasswordInput.option, .flag("no-password", "the user signs in by Apple or Google only"),
        .value(
          "claim", .text("NAME=VALUE"), repeats: true,
          "a claim of the user's ID tokens, such as name=Alice; true, false and whole numbers are no texts"),
      ], operands: [OperandSpec(.text("NAME"), .one, "what is typed at the sign-in, such as an e-mail address")],
      examples: [.init("mfs-authd user add alice@example.com --claim name=Alice < password", "adds Alice")]),
    CommandSpec("list", "list the users"),
    CommandSpec(
      "disable", "shut an account", details: "The user's sign-ins end at once, and so do their access tokens.",
      operands: [userOperand]),
    CommandSpec("enable", "open an account again", operands: [userOperand]),
    CommandSpec(
      "password", "set a password, from stdin",
      details: "The user's sign-ins end at once, and so do their access tokens.", options: [PasswordInput.option],
      operands: [userOperand]),
  ])

func runUserAdd(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  guard !invocation.flag("no-password") || invocation.value("password-file") == nil else {
    throw Failure(.usage, "--no-password and --password-file contradict each other")
  }
  var claims: [String: JSONValue] = [:]
  for text in invocation.values("claim") {
    let (name, value) = try claim(text)
    if !ProfileClaims.byScope.contains(where: { $0.claims.contains(name) }) {
      console.warn("no scope lets an app see the claim \(name)")
    }
    guard claims.updateValue(value, forKey: name) == nil else {
      throw Failure(.usage, "the claim \(name) is given twice")
    }
  }
  let password = invocation.flag("no-password") ? nil : try PasswordInput.read(invocation)
  let user = try call.administration.addUser(named: call.operand(0), password: password, claims: claims)
  return try call.done(user.document, "added \(user.name) as \(user.id)")
}

private func claim(_ text: String) throws(Failure) -> (name: String, value: JSONValue) {
  let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
    throw Failure(.usage, "--claim needs NAME=VALUE")
  }
  switch parts[1] {
  case "true": return (parts[0], .bool(true))
  case "false": return (parts[0], .bool(false))
  default: return (parts[0], Int64(parts[1]).map { .integer($0) } ?? .string(parts[1]))
  }
}

func runUserList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list("users", try call.store.users(), document: \.document) { user in
    "\(user.name)  \(user.id)" + (user.isDisabled ? "  disabled" : "")
      + (user.passwordHash == nil ? "  no password" : "")
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
  let ended = try call.administration.setPassword(try PasswordInput.read(invocation), of: user)
  return try call.done(
    ["id": .string(user.id), "ended": .strings(ended.map(\.id))],
    "set the password of \(user.name); \(Call.count(ended.count, "sign-in")) ended")
}
