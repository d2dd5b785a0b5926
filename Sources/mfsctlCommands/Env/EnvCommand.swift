public import CommandLine

let envCommand = CommandSpec(
  "env", "check and read the app's settings",
  subcommands: [
    envLintCommand, envResolveCommand, envExplainCommand, envCatalogCommand, envDocsCommand, envExampleCommand,
  ])

/// What runs the `env` commands.
public func envHandlers() -> [String: Program.Handler] {
  [
    "env lint": runEnvLint,
    "env resolve": runEnvResolve,
    "env explain": runEnvExplain,
    "env catalog check": runEnvCatalogCheck,
    "env docs": runEnvDocs,
    "env example": runEnvExample,
  ]
}
