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
        The file is libmfs-strategy-NAME.so, its manifest beside it. Owners, permissions, digests, the \
        manifest and the library's form are checked; none of its code runs. Exit 64 names each reason against it.
        """,
      operands: [OperandSpec(.file(), .one, "the library")],
      examples: [.init("mfsctl strategy verify ./libmfs-strategy-mine.so", "check a plugin before it is installed")]),
    CommandSpec(
      "trust", "trust a plugin with what it asks for",
      details: """
        Shows the settings, servers, stored values and people that the plugin asks for, each with its purpose, and asks on \
        the terminal. What is trusted are exactly these files with these grants, for this user: a changed file is refused \
        (exit 64) until it is trusted again. With --public-key, later versions that its publisher has signed are accepted as \
        well, as long as they ask for nothing more. None of its code runs.
        """,
      options: [
        .flag("yes", "trust it without asking"),
        .value("public-key", .file(), "the publisher's public key, as minisign writes it"),
      ],
      operands: [OperandSpec(.file(), .one, "the library, its manifest beside it")],
      examples: [
        .init("mfsctl strategy trust ./libmfs-strategy-badge.so", "look at what badge asks for, and trust it"),
        .init(
          "mfsctl strategy trust --public-key acme.pub ./libmfs-strategy-badge.so",
          "trust what the owner of this key has signed, later versions too"),
      ]),
    CommandSpec(
      "untrust", "trust a plugin no more",
      details: "What was never trusted is fine. The plugin's files stay where they are.",
      operands: [OperandSpec(.text("NAME"), .one, "the strategy's name")],
      examples: [.init("mfsctl strategy untrust badge", "run badge no more")]),
    CommandSpec(
      "sign", "sign a plugin for those who trust its publisher",
      details: """
        Writes FILE.minisig in the format of minisign: a signature of the library, and of the digest of its manifest, which \
        stands beside it. 'minisign -G' makes the keys, 'minisign -V' verifies the signature too. A password is asked for on \
        the terminal, unless it comes from a descriptor or a file.
        """,
      options: [
        .value("secret-key", .file(), required: true, "the secret key, as minisign writes it"),
        .value("password-fd", .integer("N", 0...1_048_576), "read the key's password from this descriptor"),
        .value("password-file", .file(), "read the key's password from this file"),
      ],
      operands: [OperandSpec(.file(), .one, "the library, its manifest beside it")],
      examples: [
        .init("mfsctl strategy sign --secret-key acme.key ./libmfs-strategy-badge.so", "sign a new version of badge")
      ]),
    CommandSpec(
      "check", "try whether a plugin keeps to its contract",
      details: """
        Runs every operation of the plugin, shut in and without a network, against a host whose answers stand in a script: \
        with larger structures, unknown fields, missing extensions, a cancellation and each error at each call, huge and \
        malformed answers, and many times over. It looks for reports that break the contract, for hangs and crashes, and for \
        secrets in what the plugin says. Exit 1 when something is found. Nobody has to have trusted the plugin.

        --asan does the same with a plugin that was built with AddressSanitizer, and finds what it does wrong with memory and \
        what it loses. The plugin is not shut in then: use it on your own. What gcc built names the sanitizer's library; what \
        clang or Swift built needs --asan-runtime.
        """,
      options: [
        .value(
          "cycles", .integer("N", 2...100_000), "sign in so many times at the end (default: 1000, with --asan 20)"),
        .flag("asan", "the plugin was built with -fsanitize=address"),
        .value("asan-runtime", .file(), "the same, and this is the sanitizer's library"),
        .value("setting", .text("NAME=VALUE"), repeats: true, "give a setting this value"),
      ],
      operands: [OperandSpec(.file(), .one, "the library, its manifest beside it")],
      examples: [.init("mfsctl strategy check ./libmfs-strategy-badge.so", "try a plugin before it is given out")]),
    CommandSpec(
      "new", "make the project of a new plugin",
      details: """
        A folder with a strategy that signs in already: sources, manifest, the folder of an app that chooses it, and a \
        Makefile. 'make' builds it, 'make test' runs the conformance kit, 'make signin' signs in with it at a gateway of \
        this machine, 'make install' puts it where mfsctl looks. Its README says what to change. No network is needed, and \
        nothing is overwritten (exit 11).
        """,
      options: [
        .value("language", .choice(["swift", "c", "rust"]), "what it is written in (default: swift)"),
        .value("output", .folder(), "the folder to make (default: NAME)"),
      ],
      operands: [OperandSpec(.text("NAME"), .one, "the strategy's name: 1 to 32 of a-z 0-9 _")],
      examples: [.init("mfsctl strategy new badge --language c", "begin a strategy in C, in the folder badge")]),
    CommandSpec(
      "lock", "pin the digests of the plugins in a folder",
      details: """
        Writes strategies.lock, which says which files in that folder are trusted. The build calls it for the plugins it \
        has made, and an administrator for those in /usr/local/lib/mfsctl/plugins; in other folders it does not count.
        """,
      operands: [OperandSpec(.folder(), .one, "the folder")]),
  ])
