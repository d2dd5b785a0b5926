internal import CommandLine

let replicatorCommand = CommandSpec(
  "replicator", "what the app's replicator is built with, and whether the gateway takes it",
  subcommands: [
    CommandSpec(
      "config", "print what a replicator is to be built with",
      details: """
        One JSON document: the URL, the collections, the authenticator with the stored session, and headers. With \
        EXPO_PUBLIC_AUTH_BEARER_ON_REPL the ID token goes in a header, and there is no authenticator; strategy demo has \
        neither. Nothing is sent. The secret is shown only with --reveal.
        """,
      options: [.flag("reveal", "show the session or the token itself")] + readingOptions + VaultOptions.unlock,
      examples: [
        .init("mfsctl replicator config", "look at it, the session masked"),
        .init("mfsctl replicator config --reveal | ./start-replicator", "hand it to a program"),
      ]),
    CommandSpec(
      "check", "ask the gateway for a replication once",
      details: """
        Opens DB/_blipsync with the stored session, as a replicator does, and closes it again. What the gateway answers is \
        shown in Couchbase Lite's numbers, with what a replicator would do: go offline and try again (exit 62), stop because \
        the session is not accepted (61), or stop for another reason (63). A 500, at which a replicator stops although it \
        passes, is 62. It warns when the answer sets the session's cookie, which some replicators keep for too long. The vault is not changed.
        """,
      options: readingOptions + VaultOptions.unlock,
      examples: [.init("mfsctl replicator check --json", "the same for a script")]),
  ])
