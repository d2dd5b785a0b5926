public import Basics

/// A command line that was understood: which command, and what was given to it. Every value has been checked against
/// its declaration.
public struct Invocation: Sendable {
  /// The words of the command, e.g. `["vault", "logout"]`.
  public let path: [String]
  /// The command's declaration.
  public let command: CommandSpec
  /// What was given for each option, by long name; a flag has an empty array.
  let options: [String: [String]]
  /// The operands in order.
  public let operands: [String]
  /// The words after `--` of a command that runs another program.
  public let childArguments: [String]

  /// Whether a flag was given.
  public func flag(_ name: String) -> Bool { options[name] != nil }
  /// An option's value; the last one when it was given more than once.
  public func value(_ name: String) -> String? { options[name]?.last }
  /// Every value of an option that repeats.
  public func values(_ name: String) -> [String] { options[name] ?? [] }
  /// The value of an option declared as an integer.
  public func integer(_ name: String) -> Int? { options[name]?.last.flatMap { Int($0) } }

  /// The profile that `--profile` names, or `default`. Throws ``FailureCode/usage``.
  public func profile() throws(Failure) -> ProfileName {
    guard let name = value("profile") else { return .default }
    return try ProfileName(name)
  }
}

/// What a command line asks for.
public enum Request: Sendable {
  /// Run a command.
  case run(Invocation)
  /// Print the help of the command at this path.
  case help(path: [String])
  /// Print the version.
  case version
}

/// The options that every command of `mfsctl` understands.
public let globalOptions: [OptionSpec] = [
  .value("profile", .text("NAME"), "the device build to work on (default: default)"),
  .flag("json", "print one JSON document, and errors as JSON"),
  .flag("no-color", "print without colour"),
  .flag("quiet", "print results and errors only"),
  .flag("verbose", "say more about what is done"),
  .flag("help", short: "h", "print this help"),
  .flag("version", "print the version"),
]
