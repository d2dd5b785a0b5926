internal import CommandLine

let sessionCommand = CommandSpec(
  "session", "sign in, stay signed in, sign out",
  details: """
    The settings of the app's folder say how to sign in and where; the session and what gets a new one are kept in the \
    profile's vault. Credentials are bound to where they were obtained: when the settings name another strategy, issuer, \
    client, gateway or database, nothing is sent and a new sign-in is needed.
    """,
  subcommands: [
    CommandSpec(
      "login", "sign in and keep the session in the vault",
      details: """
        Asks on the terminal for what the strategy needs, or opens the identity provider's page in the browser and waits on \
        a port of 127.0.0.1 for its answer. Without a browser, a provider that can do it gives a code to type on another \
        device; else the page's address is shown, and on a terminal the address that it ends at can be pasted. Whatever was stored before stays as it is until the new session \
        replaces it in one change.
        """,
      options: [
        .value("identifier", .text("ID"), "who signs in, so that it is not asked for"),
        .flag("password-stdin", "read the password from stdin, without its line end"),
        .flag("no-browser", "open no browser; show what to do elsewhere instead"),
        .value(
          "redirect-port", .integer("N", 1...65_535),
          "the port of 127.0.0.1 that the browser comes back to, for providers that want it registered"),
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
        is sent to the identity provider's page that ends the session there.
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
        only the rejected session is dropped, exit 62. Other codes change nothing. A report can come when another mfsctl has \
        already got a new session; with --session-expires-at that is noticed however late it comes, and the new one is used.
        """,
      options: [
        .value("code", .integer("CODE", 1...99_999), required: true, "an HTTP status, or a code of Couchbase Lite"),
        .value(
          "session-expires-at", .text("TIME"),
          "sessionExpiresAt of the session that was rejected, as 'session status --json' said it"),
      ] + changing,
      examples: [.init("mfsctl session auth-failure --code 10401", "the gateway no longer accepts the session")]),
  ])

private let reading = readingOptions + VaultOptions.unlock
private let changing = readingOptions + [isolation, VaultOptions.lockTimeout] + VaultOptions.unlock

// Only ever an option: nothing in the app's folder or the environment can weaken it.
private let isolation = OptionSpec.value(
  "isolation", .choice(["require", "prefer"]),
  "how the plugin is shut in: require (default) runs nothing without Landlock, prefer does with the system call filter alone"
)
