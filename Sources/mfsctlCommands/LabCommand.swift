internal import CommandLine

let labCommand = CommandSpec(
  "lab", "a gateway and an identity provider on loopback to try things with",
  subcommands: [labUpCommand, labScenarioCommand])

private let labUpCommand = CommandSpec(
  "up", "run a double of Sync Gateway until it is stopped",
  details: """
    Prints one JSON line when it is ready and runs until Ctrl-C (exit 130) or a SIGTERM (exit 0). The gateway, the \
    identity provider and the control port listen on 127.0.0.1 only. A SIGHUP reads the scenario file again.

    With --idp lab an OpenID provider signs in the same users, and the gateway takes its ID tokens; with --trust-issuer \
    it takes those of another provider, whose metadata are below that URL. With --idp backend the provider is mfs-authd, the mobile \
    auth backend, with a database that is gone at the end.

    A user without PASSWORD-FILE gets a random password in a file of mode 0600, which the JSON line names and which is \
    removed at the end. Without --user there is one user, alice. docs/LAB.md tells the rest.
    """,
  options: [
    .value("gateway-port", .integer("N", 0...65_535), "the gateway's port (default: any free one)"),
    .value("idp", .choice(["lab", "backend"]), "run an identity provider too, for the same users"),
    .value("idp-port", .integer("N", 0...65_535), "the identity provider's port (default: any free one)"),
    .value("trust-issuer", .text("URL"), "take the ID tokens of a provider of your own, and register whom they name"),
    .value("trust-client", .text("ID"), "the client that those tokens are for (default: mfs)"),
    .value("user", .text("NAME[:PASSWORD-FILE]"), repeats: true, "a user who may sign in (default: alice)"),
    .value("scenario", .file(), "how the gateway is configured and what goes wrong"),
    .flag("until-stdin-closes", "stop when standard input ends, as it does when the program behind it ends"),
  ],
  examples: [
    .init("mfsctl lab up --gateway-port 4984 --user alice:alice.password", "a gateway with a known user"),
    .init("mfsctl lab up --idp lab", "a gateway and an identity provider"),
    .init("mfsctl lab up --idp backend", "a gateway and the mobile auth backend"),
    .init("mfsctl lab up --scenario offline.yaml", "a gateway where something goes wrong"),
  ])

private let labScenarioCommand = CommandSpec(
  "scenario", "list what can go wrong in the lab, or check a scenario file",
  details: """
    Without operands: the faults, where they can happen, and what a script can do, with a sample of a scenario file. With \
    'check' the FILE is read as 'lab up' reads it, and the moments of its script are told: what begins and what ends. A \
    mistake is named with its line and what to do (exit 3).
    """,
  operands: [
    OperandSpec(.choice(["check"]), .optional, "check a file"), OperandSpec(.file(), .optional, "the scenario file"),
  ],
  examples: [
    .init("mfsctl lab scenario", "see what can go wrong"),
    .init("mfsctl lab scenario check outage.yaml", "see what a script will do, and when"),
  ])
