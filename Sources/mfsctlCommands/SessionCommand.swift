internal import CommandLine

let sessionCommand = CommandSpec(
  "session", "sign in, stay signed in, sign out",
  details: """
    The settings of the app's folder say how to sign in and where; the session and what gets a new one are kept in the \
    profile's vault. Credentials are bound to where they were obtained: when the settings name another strategy, issuer, \
    client, gateway, database or server to revoke at, nothing is sent and a new sign-in is needed.
    """,
  subcommands: [
    CommandSpec(
      "login", "sign in and keep the session in the vault",
      details: """
        Asks on the terminal for what the strategy needs, or opens the identity provider's page in the browser and waits on \
        a port of 127.0.0.1 for its answer. Without a browser, a provider that can do it gives a code to type on another \
        device; else the page's address is shown, and on a terminal the address that a browser of another machine ends at can be pasted. Whatever was stored before stays as it is until the new session \
        replaces it in one change.

        --record writes the host calls of the plugin with their answers as JSON lines, mode 0600, with secrets and who signs \
        in masked; it is for whoever writes the plugin. --replay answers the plugin's calls from such a file and says where \
        it departs from it (exit 1): nothing is sent, nobody is asked, and the vault is not opened.
        """,
      options: [
        .value("identifier", .text("ID"), "who signs in, so that it is not asked for"),
        .flag("password-stdin", "read the password from stdin, without its line end"),
        .flag("no-browser", "open no browser; show what to do elsewhere instead"),
        .value(
          "redirect-port", .integer("N", 1...65_535),
          "the port of 127.0.0.1 that the browser comes back to, for providers that want it registered"),
        .value("record", .file(), "write what the plugin asks of its host, and the answers, to this new file"),
        .value("replay", .file(), "run the plugin against such a file, without network and vault"),
      ] + changing,
      examples: [
        .init("mfsctl session login --identifier alice", "asks for the password"),
        .init("mfsctl session login --identifier alice --password-stdin <password.txt", "asks nothing"),
      ]),
    CommandSpec(
      "restore", "go on with the stored session",
      details: """
        A session that lasts more than 30 seconds is used as it is, and nothing is sent. Otherwise a new one is fetched \
        without asking anyone. A server that cannot be reached is not a sign-out: the state is then 'offline', exit 62.
        """,
      options: changing),
    CommandSpec(
      "refresh", "get a new session without asking anyone",
      details: """
        One refresh at a time runs for a profile; others wait for it and use what it brought. Trouble of the network or the \
        server keeps the session, exit 62. Credentials that the server rejects are removed, exit 61.
        """,
      options: changing),
    CommandSpec(
      "status", "say where the session stands",
      details: "Looks at the vault and the settings only: no server is asked. Exits 0 whatever it finds.",
      options: reading),
    CommandSpec(
      "logout", "remove the credentials, then tell the server",
      details: """
        Removes every auth.* value in one change, keeps the databases' keys and the device's id, and then tells the server. \
        When it cannot be told, the credentials here are gone all the same, exit 50. A refresh token is revoked, and a browser \
        is sent to the identity provider's page that ends the session there. The report says whom it reached; while the \
        provider's own session may be alive, the next sign-in has the provider ask again.
        """,
      options: [
        .flag("wipe", "remove every value, the databases' keys too"),
        .flag("no-browser", "leave the identity provider's own session in the browser as it is"),
      ] + changing),
    CommandSpec(
      "auth-failure", "act on an error that the replicator reports",
      details: """
        401 and 404, also as 10401 and 10404, say that the session is not accepted: the replicator has to stop, and one \
        refresh is tried. If the server rejects that too, the credentials are removed, exit 61; if it cannot be reached, \
        only the rejected session is dropped, exit 62. Other codes change nothing. With EXPO_PUBLIC_AUTH_BEARER_ON_REPL an ID token \
        that is good by its time is first presented once more, two seconds later: a gateway answers 401, too, when it cannot \
        reach the provider just then. 'restartReplicator' of --json says whether a replicator that has stopped can be started \
        now, with the credential that there is, or again after a 500, at which it stops although that passes. A report can come when another mfsctl has \
        already got a new session; with --session-expires-at that is noticed however late it comes, and the new one is used.
        """,
      options: [
        .value("code", .integer("CODE", 1...99_999), required: true, "an HTTP status, or a code of Couchbase Lite"),
        .value(
          "session-expires-at", .text("TIME"),
          "sessionExpiresAt of the session that was rejected, as 'session status --json' said it"),
      ] + changing,
      examples: [.init("mfsctl session auth-failure --code 10401", "the gateway no longer accepts the session")]),
    watchCommand, fetchCommand, logCommand,
  ])

private let watchCommand = CommandSpec(
  "watch", "keep the session alive until stopped",
  details: """
    Refreshes in time, and again after trouble, with growing random waits and no sooner than the server asks for. Sees at once \
    when another process signs in or out, or wipes the vault. Prints a line for each event, with --json one object a line; on \
    a terminal a live line shows when the session and the ID token end. One watch runs for a profile, else exit 42. \
    The settings are read at the start.

    Ctrl-C ends it at once (exit 130), a SIGTERM after a refresh under way (exit 0). When only a person can go on it ends too \
    (exit 61), after the command of --on-signed-out; with --wait it stays until somebody signs in. Server errors that nobody \
    explains, 10 on end, are met by asking for a sign-in; the credentials stay.

    The commands are run by 'sh -c', one at a time and for 60 seconds at most, with the event as one JSON line on stdin and \
    MFSCTL_EVENT, MFSCTL_REASON and MFSCTL_PROFILE in the environment; no secret is in either. What they print goes to stderr. \
    While one runs only the newest event is kept for it.
    """,
  options: [
    .value(
      "on-credential", .text("CMD"),
      "run this at the start and at each new credential, e.g. to stop the replicator and start it anew"),
    .value("on-signed-out", .text("CMD"), "run this when there is no sign-in any more, or only a person can go on"),
    .flag("wait", "stay while nobody is signed in"),
  ] + changing,
  examples: [
    .init("mfsctl session watch --on-credential ./restart-replicator", "rebuild the replicator for each new session"),
    .init("mfsctl --json session watch --wait", "a stream of events for another program"),
  ])

private let fetchCommand = CommandSpec(
  "fetch", "send a request with the session's credential",
  details: """
    The session's cookie goes to the gateway's origin only, the ID token as a bearer token to the origins only that settings \
    of type url name; any other URL is exit 2, and nothing is sent in the clear but to this machine. A redirect is not \
    followed. When the answer is 401 the session is refreshed once, by one process for all, and the request is sent once more.

    The body of the answer goes to stdout as it comes, whatever the status. A 2xx is exit 0; 401 after the refresh 60; 408, \
    425, 429, 5xx and an unreachable server 62; anything else 63. With --json stdout is \
    {"status","contentType","encoding","body"}, where encoding is utf8 or base64.
    """,
  options: [
    .value(
      "method", .choice(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
      "the method (default: GET, with a body POST)"),
    .value("data-file", .file(), "send the bytes of this file as the body; - is stdin"),
    .value("header", .text("NAME:VALUE"), repeats: true, "send this header; not for secrets"),
    .value("limit", .integer("BYTES", 0...1_073_741_824), "the most bytes of the answer's body (default: 67108864)"),
    .value("timeout", .integer("SECONDS", 1...86_400), "how long the exchange may take (default: 300)"),
  ] + changing,
  operands: [OperandSpec(.text("URL"), .one, "the address in full")],
  examples: [
    .init("mfsctl session fetch https://sync.example.com/mfs/users:alice", "read a document"),
    .init(
      "mfsctl session fetch https://sync.example.com/mfs/note --method PUT --data-file note.json "
        + "--header 'Content-Type: application/json'", "write one"),
  ])

private let logCommand = CommandSpec(
  "log", "show what the session decided, when and why",
  details: """
    The newest decisions of the profile, oldest first: each sign-in, refresh, retry, failure and sign-out, with its reason and \
    the server's origin. There is no secret in it, nor who signs in. With --json one object a line; docs/SESSION.md has its \
    members. --follow goes on until Ctrl-C (exit 130) or a SIGTERM (exit 0).
    """,
  options: [
    .value("limit", .integer("N", 0...100_000), "how many (default: 50)"),
    .flag("follow", "go on with those to come"),
  ])

private let reading = readingOptions + VaultOptions.unlock
private let changing = readingOptions + [isolation, VaultOptions.lockTimeout] + VaultOptions.unlock

// Only ever an option: nothing in the app's folder or the environment can weaken it.
private let isolation = OptionSpec.value(
  "isolation", .choice(["require", "prefer"]),
  "how the plugin is shut in: require (default) runs nothing without Landlock, prefer does with the system call filter alone"
)
