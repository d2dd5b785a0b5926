internal import CommandLine

let envCommand = CommandSpec("env", "check and read the app's settings", subcommands: [])
