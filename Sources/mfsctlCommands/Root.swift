public import CommandLine

/// Every command of the toolkit. Both executables understand all of it; `mfsctl` hands what it cannot do itself to
/// `mfsctl-full`.
public let rootCommand = CommandSpec(
  "mfsctl", "settings, secrets and sign-in for MFS device builds",
  subcommands: [envCommand, vaultCommand, strategyCommand, sessionCommand, replicatorCommand, labCommand])
