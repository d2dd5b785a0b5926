internal import CommandLine

/// The options that say which catalog a command reads.
let catalogOptions: [OptionSpec] = [
  .value("dir", .folder(), "the app's folder (default: .)"),
  .value("catalog", .file(), "the catalog (default: DIR/env/catalog.yaml, else the built-in one)"),
]

/// The options and the operand of commands that print a generated file, write it or check it.
let generatorOptions: [OptionSpec] =
  catalogOptions + [
    .flag("write", "write FILE instead of printing"),
    .flag("check", "exit 1 if FILE is not what would be written"),
  ]
