internal import Basics
internal import CommandLine
internal import GatewayLab
internal import HTTPClient
internal import SecureMemory

/// `mfsctl lab up`: a gateway on loopback, with an identity provider if asked for, until a signal comes or standard input ends.
func labUp(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  try ProcessHardening.apply()
  // Before any thread starts, so that signals come to this one only and none is lost.
  let signals = LabSignals()
  let file = invocation.value("scenario")
  var scenario = Scenario()
  if let file { scenario = try Scenario.read(file) }
  let providerPort = try providerPort(invocation)
  let isBackend = invocation.value("idp") == "backend"
  var foreign = try foreignProvider(invocation)
  if foreign != nil { scenario.options.openID.register = true }
  // What the backend calls a user for good is an id of its own.
  if isBackend { scenario.options.openID.usernameClaim = "preferred_username" }
  let passwords = LabPasswords()
  defer { passwords.remove() }
  let lab = try Lab(
    scenario: scenario, port: UInt16(clamping: invocation.integer("gateway-port") ?? 0),
    providerPort: isBackend ? nil : providerPort)
  defer { lab.stop() }
  let given = invocation.values("user")
  var users: [LabBackend.User] = []
  for user in given.isEmpty ? ["alice"] : given {
    users.append(try addUser(user, to: lab.gateway, scenario.options.profiles, passwords))
  }
  let backend = isBackend ? try LabBackend(port: providerPort ?? 0, users: users) : nil
  defer { backend?.stop() }
  if let backend { foreign = (backend.issuer, backend.clientID) }
  if let foreign { lab.gateway.trust(issuer: foreign.issuer, clientID: foreign.clientID) }
  lab.gateway.setDocument("lab", json: #"{"_id":"lab","_rev":"1-0","text":"Only who is signed in can read this."}"#)
  try console.document(report(lab, scenario, passwords, foreign))
  // Its script begins when others can know that the lab is there.
  try play(scenario, in: lab, console)
  while true {
    switch signals.next(untilInputCloses: invocation.flag("until-stdin-closes")) {
    case .interrupted: return .cancelled
    case .terminated, .inputClosed: return .done
    case .hangUp: reread(file, into: lab, console)
    }
  }
}

/// The identity provider's port; nil when there is to be none.
private func providerPort(_ invocation: Invocation) throws(Failure) -> UInt16? {
  let port = invocation.integer("idp-port")
  guard invocation.value("idp") != nil else {
    guard port == nil else {
      throw Failure(
        .usage, "--idp-port has no meaning without an identity provider", hint: "add --idp lab or --idp backend")
    }
    return nil
  }
  return UInt16(clamping: port ?? 0)
}

/// A provider of the user's own, whose tokens the gateway is to take; nil without one.
private func foreignProvider(_ invocation: Invocation) throws(Failure) -> (issuer: String, clientID: String)? {
  guard let issuer = invocation.value("trust-issuer") else {
    guard invocation.value("trust-client") == nil else {
      throw Failure(.usage, "--trust-client has no meaning without an issuer", hint: "add --trust-issuer URL")
    }
    return nil
  }
  guard invocation.value("idp") == nil else {
    throw Failure(.usage, "--idp and --trust-issuer are two providers; the gateway takes one", hint: "give one of them")
  }
  guard HTTPURL(issuer) != nil else {
    throw Failure(.usage, "--trust-issuer is not an http or https URL", hint: "give the issuer as its tokens name it")
  }
  return (issuer, invocation.value("trust-client") ?? "mfs")
}

private func addUser(
  _ option: String, to gateway: Gateway, _ profiles: [String: String], _ passwords: LabPasswords
) throws(Failure) -> LabBackend.User {
  let parts = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  let name = parts.first ?? ""
  guard !gateway.users.contains(name) else {
    throw Failure(.usage, "--user names '\(OutsideText.clean(name, limit: 80))' twice", hint: "name each user once")
  }
  if parts.count > 1 {
    let read = try SecretInput.read(file: parts[1], limit: 4_096, what: "the password file")
    let password = try SecretInput.droppingLineEnd(read)
    guard password.count > 0 else {
      throw Failure(
        .usage, "the password file \(OutsideText.clean(parts[1], limit: 300)) is empty",
        hint: "write a password into it")
    }
    try gateway.addUser(name, password: password)
    return LabBackend.User(name: name, password: SecureBox(password), employeeID: profiles[name])
  }
  let password = try passwords.make(for: name)
  try gateway.addUser(name, password: password)
  return LabBackend.User(name: name, password: SecureBox(password), employeeID: profiles[name])
}

private func report(
  _ lab: Lab, _ scenario: Scenario, _ passwords: LabPasswords, _ foreign: (issuer: String, clientID: String)?
) -> JSONValue {
  [
    "gateway": .string(lab.origin), "database": .string(scenario.options.database),
    "idp": .optional(lab.provider?.issuer ?? foreign?.issuer),
    "users": .strings(lab.gateway.users), "pid": .number(currentProcess()), "control": .string(lab.controlOrigin),
    "passwordFiles": .object(passwords.files.map { JSONValue.Member($0.user, .string($0.path)) }),
    "clientId": .optional(lab.provider?.clientID ?? foreign?.clientID),
  ]
}

/// A file that cannot be used changes nothing.
private func reread(_ file: String?, into lab: Lab, _ console: Console) {
  guard let file else { return console.warn("there is no scenario file to read again") }
  do throws(Failure) {
    try play(try Scenario.read(file), in: lab, console)
    console.note("mfsctl: the scenario was read again")
  } catch {
    console.warn("the scenario stays as it was: \(error)")
  }
}

private func play(_ scenario: Scenario, in lab: Lab, _ console: Console) throws(Failure) {
  if scenario.script.needsProvider, lab.provider == nil {
    console.warn("the script is about the identity provider too, and there is none: add --idp lab")
  }
  try lab.play(scenario)
}
