internal import CommandLine

let strategyCommand = CommandSpec("strategy", "look at the ways to sign in", subcommands: [])
