internal import BackendAdmin
internal import BackendKeys
internal import BackendStore
internal import Basics
internal import CommandLine
internal import SecureMemory

let resourceCommand = CommandSpec(
  "resource", "the resource servers: APIs that apps call, and that ask about access tokens",
  subcommands: [
    CommandSpec(
      "add", "register a resource server",
      details: """
        Its secret is made and printed, this once: what is stored tells nobody. With --secret-stdin it is read from standard input \
        instead, 32 to 256 of A-Z a-z 0-9 . _ - on one line; take it from a generator, not from your head. A file that the shell makes for \
        it is nobody else's after 'umask 077'.
        """,
      options: [
        .value("audience", .text("NAME"), "aud of the access tokens that are for it (default: api)"),
        .flag("secret-stdin", "read the secret instead of making one"),
        .flag("replace", "replace a resource server of that name: its old secret counts no more"),
      ], operands: [OperandSpec(.text("NAME"), .one, "what it calls itself when it asks")],
      examples: [
        .init(
          "(umask 077; mfs-authd resource add orders --audience api > orders.secret)",
          "registers an API and keeps its secret")
      ]),
    CommandSpec("list", "list the resource servers"),
    CommandSpec(
      "remove", "remove a resource server", details: "It may ask nothing any more; no token ends by that.",
      operands: [OperandSpec(.text("NAME"), .one, "its name")]),
  ])

func runResourceAdd(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let secret: ResourceSecret, isMade = !invocation.flag("secret-stdin")
  if invocation.flag("secret-stdin") {
    let read = try SecretInput.read(
      descriptor: 0, limit: ResourceSecret.lengths.upperBound + 2, what: "the resource server's secret")
    guard let given = try ResourceSecret(SecretInput.droppingLineEnd(read)) else {
      throw Failure(
        .usage, "that cannot be a resource server's secret",
        hint: "give 32 to 256 of A-Z a-z 0-9 . _ - on one line, or leave --secret-stdin out to have one made")
    }
    secret = given
  } else {
    secret = try ResourceSecret.make()
  }
  let server = try call.administration.addResourceServer(
    call.operand(0), audience: invocation.value("audience") ?? "api", secret: secret, peppers: try call.peppers(),
    replacing: invocation.flag("replace"))
  // First of all: who asked has no other copy, and the old secret counts no more.
  if console.json, isMade {
    try unsafe secret.withText { text throws(Failure) in
      try unsafe console.document(server.document.members ?? [], secret: "secret", text)
    }
  } else if console.json {
    try console.document(server.document)
  } else if isMade {
    try unsafe secret.withText { text throws(Failure) in try unsafe console.write(bytes: text) }
    try console.write("\n")
  }
  noteUnknownAudience(of: server, call)
  if !console.json {
    console.note(
      "the resource server \(server.name) may ask about tokens for \(server.audience)"
        + (isMade ? "; its secret is printed this once" : ""))
  }
  return .done
}

/// Says that it will be told of no token, which a mistyped name is the usual cause of. Where that cannot be told the server is registered
/// all the same.
private func noteUnknownAudience(of server: ResourceServer, _ call: Call) {
  guard let clients = try? call.store.clients() else { return }
  let audiences = Set(clients.map(\.audience))
  guard !audiences.contains(where: { $0.utf8.elementsEqual(server.audience.utf8) }) else { return }
  let known = audiences.sorted().prefix(5).map { OutsideText.clean($0, limit: 60) }.joined(separator: ", ")
  call.console.note(
    "note: no client has the audience \(server.audience), so no access token is for it"
      + (known.isEmpty ? ": there are no clients" : "; those of the clients: \(known)"))
}

func runResourceList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list(
    console.json ? "resourceServers" : "resource servers", try call.store.resourceServers(),
    columns: ["NAME", "AUDIENCE", "SINCE"], document: \.document
  ) { server in
    [server.name, server.audience, server.createdAt.rfc3339]
  }
}

func runResourceRemove(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  try call.administration.removeResourceServer(call.operand(0))
  return try call.done(
    ["name": .string(call.operand(0)), "removed": true], "removed the resource server \(call.operand(0))")
}
