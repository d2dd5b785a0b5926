internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine

let clientCommand = CommandSpec(
  "client", "the apps that people sign in to",
  subcommands: [
    CommandSpec(
      "add", "register a client; what is not given is as for a mobile app of ours",
      details: """
        Redirect URIs are https, a scheme of the app's own with a dot such as com.example.app:/callback, or http on loopback. They \
        are compared as strings; only the port of an address on 127.0.0.1 or [::1] is free, that of localhost is not. Prefer https, as a universal link or an app \
        link, where it is possible: only the app that the host names gets those, while any app can claim a scheme or listen on loopback.
        """,
      options: [
        .value("name", .text("TEXT"), "what the sign-in page calls it (default: the id)"),
        .value("redirect-uri", .text("URI"), repeats: true, "where answers may go"),
        .value("post-logout-redirect-uri", .text("URI"), repeats: true, "where a sign-out may lead back to"),
        .value(
          "scope", .text("SCOPE"), repeats: true, "what it may ask for (default: openid profile email offline_access)"),
        .value("grant", .text("GRANT"), repeats: true, "what it may use (default: authorization_code refresh_token)"),
        .flag("third-party", "people are asked for consent"),
        .value("audience", .text("NAME"), "aud of its access tokens (default: api)"),
        .value("device", .choice(Client.DevicePolicy.allCases.map(\.rawValue)), "whether it must tell its device"),
        .value(
          "attestation", .choice(Client.AttestationPolicy.allCases.map(\.rawValue)), "what is made of attestations"),
        .value("grace", .integer("SECONDS", 0...10), "how long a lost answer to a refresh is given again (default: 0)"),
        .value("property", .text("NAME=VALUE"), repeats: true, "the rest, such as apple-app-id=TEAMID.bundle"),
        .flag("replace", "replace a client of that id"),
      ], operands: [OperandSpec(.text("ID"), .one, "its client_id")],
      examples: [
        .init(
          "mfs-authd client add mobile --redirect-uri com.example.app:/callback --device required", "registers an app")
      ]),
    CommandSpec(
      "list", "list the clients",
      details: """
        PARTY says 'third party' of a client for which people are asked for consent, and STATE 'disabled' of one that may do nothing.
        """),
    CommandSpec(
      "remove", "remove a client", details: "Its sign-ins end at once, and so do their access tokens.",
      operands: [OperandSpec(.text("ID"), .one, "its client_id")]),
    CommandSpec(
      "import", "register the clients of a YAML file",
      details: """
        The file is read as a whole and strictly before anything is changed. A client of it replaces the one of the same id; clients \
        that are not in it stay.
        """, operands: [OperandSpec(.file(), .one, "the registry; docs/BACKEND.md has the fields")]),
  ])

func runClientAdd(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let id = call.operand(0)
  var client = Client(id: id, name: invocation.value("name") ?? id, redirectURIs: invocation.values("redirect-uri"))
  client.postLogoutRedirectURIs = invocation.values("post-logout-redirect-uri")
  if !invocation.values("scope").isEmpty { client.scopes = invocation.values("scope") }
  if !invocation.values("grant").isEmpty { client.grants = Set(invocation.values("grant")) }
  client.isFirstParty = !invocation.flag("third-party")
  if let audience = invocation.value("audience") { client.audience = audience }
  if let word = invocation.value("device").flatMap(Client.DevicePolicy.init) { client.devicePolicy = word }
  if let word = invocation.value("attestation").flatMap(Client.AttestationPolicy.init) { client.attestation = word }
  client.graceSeconds = Int64(invocation.integer("grace") ?? 0)
  for text in invocation.values("property") {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw Failure(
        .usage, "--property needs NAME=VALUE", hint: "such as --property apple-app-id=ABCDE12345.com.example.app")
    }
    client.properties[parts[0]] = parts[1]
  }
  let put = try call.administration.put(client, replacing: invocation.flag("replace"))
  noteWeakRedirects(of: client, console)
  return try call.done(client.document, "\(put.rawValue) the client \(id)")
}

func runClientList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  return try call.list(
    "clients", try call.store.clients(), columns: ["ID", "NAME", "PARTY", "STATE", "REDIRECT URIS"],
    document: \.document
  ) { client in
    [
      client.id, client.name, client.isFirstParty ? nil : "third party", client.isEnabled ? nil : "disabled",
      client.redirectURIs.isEmpty ? nil : client.redirectURIs.joined(separator: "  "),
    ]
  }
}

func runClientRemove(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  try call.administration.removeClient(call.operand(0))
  return try call.done(["id": .string(call.operand(0)), "removed": true], "removed the client \(call.operand(0))")
}

func runClientImport(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let clients = try ClientRegistry.read(call.operand(0))
  var done: [(id: String, put: Administration.Put)] = []
  for client in clients {
    done.append((client.id, try call.administration.put(client)))
    noteWeakRedirects(of: client, console)
  }
  if console.json {
    try console.document([
      "clients": .array(done.map { ["id": .string($0.id), "result": .string($0.put.rawValue)] })
    ])
  } else {
    for one in done { try console.line("\(one.put.rawValue)  \(one.id)") }
  }
  return .done
}

/// Says which answers another app could get (RFC 8252 8.4 and 8.6).
private func noteWeakRedirects(of client: Client, _ console: Console) {
  if let uri = client.redirectURIs.first(where: RedirectURICheck.isLocalhost) {
    console.note(
      "note: \(OutsideText.clean(uri, limit: 200)) is taken as it stands, with its port, and 'localhost' may lead elsewhere than to "
        + "this machine: RFC 8252 8.3 advises against it. Register http://127.0.0.1/PATH, whose port is free")
  }
  guard let uri = client.redirectURIs.first(where: { !$0.hasPrefix("https://") }) else { return }
  console.note(
    "note: another app on a device can claim \(OutsideText.clean(uri, limit: 200)); prefer https (a universal link or an app link) "
      + "where it is possible")
}
