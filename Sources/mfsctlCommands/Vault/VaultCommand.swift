internal import CommandLine

let vaultCommand = CommandSpec("vault", "keep the enclave keys of a device build", subcommands: [])
