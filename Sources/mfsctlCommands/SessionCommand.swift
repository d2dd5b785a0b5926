internal import CommandLine

let sessionCommand = CommandSpec("session", "sign in, stay signed in, sign out", subcommands: [])
