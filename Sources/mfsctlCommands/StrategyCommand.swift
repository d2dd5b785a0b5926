internal import CommandLine

let strategyCommand = CommandSpec(
  "strategy", "look at the ways to sign in",
  details: """
    A strategy is a plugin: a library that runs shut in, in a process of its own, and reaches only what its manifest \
    declares.
    """,
  subcommands: [
    CommandSpec(
      "list", "list the strategies that are installed",
      details: """
        They are looked for beside the executables, in the folder 'plugins' of the data directory and in \
        /usr/local/lib/mfsctl/plugins. None of their code runs.
        """,
      examples: [.init("mfsctl strategy list --json", "list them for a script")]),
    CommandSpec(
      "show", "show what a strategy is and what it asks for",
      operands: [OperandSpec(.text("NAME"), .one, "the strategy's name")],
      examples: [.init("mfsctl strategy show basic", "show the settings, servers and stored values that basic needs")]),
    CommandSpec(
      "verify", "check whether a plugin's library would be run",
      details: """
        The file is libmfs-strategy-NAME.so, its manifest and strategies.lock beside it. Owners, permissions, digests, the \
        manifest and the library's form are checked; none of its code runs. Exit 64 names each reason against it.
        """,
      operands: [OperandSpec(.file(), .one, "the library")],
      examples: [.init("mfsctl strategy verify ./libmfs-strategy-mine.so", "check a plugin before it is installed")]),
    CommandSpec(
      "lock", "pin the digests of the plugins in a folder",
      details: """
        Writes strategies.lock, which says which files in that folder are trusted. The build calls it for the plugins it \
        has made.
        """,
      operands: [OperandSpec(.folder(), .one, "the folder")]),
  ])
