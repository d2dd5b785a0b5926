internal import CommandLine

let labCommand = CommandSpec("lab", "a gateway on loopback to try things with", subcommands: [])
