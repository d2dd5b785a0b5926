internal import Basics
internal import CommandLine
internal import Session
internal import StrategyHost
internal import Vault
internal import mfsctlCommands

/// `session login`.
func sessionLogin(_ call: SessionCall) throws(Failure) -> ExitCode {
  if let file = call.invocation.value("replay") { return try replayLogin(file, call) }
  let identifier = call.invocation.value("identifier")
  if let identifier, identifier.allSatisfy(\.isWhitespace) {
    throw Failure(.usage, "--identifier is empty", hint: "leave it out to be asked")
  }
  let fromStdin = call.invocation.flag("password-stdin")
  if fromStdin, call.invocation.integer("passphrase-fd") == 0 {
    throw Failure(
      .usage, "--password-stdin and --passphrase-fd 0 would both read stdin",
      hint: "give the vault's passphrase on another descriptor")
  }
  let strategies = try call.strategies(call.vault, .signals)
  // A sign-in always runs a strategy.
  strategies.prepare()
  let configuration = try call.configuration()
  let service = call.service(configuration, try call.vault.store.open(), strategies)
  let prompter = SignInDialog(
    strategy: configuration.strategy, hasIdentifier: identifier != nil,
    password: fromStdin ? try SignInDialog.passwordFromStdin() : nil, console: call.console)
  defer { prompter.close() }
  let status = try service.login(
    identifier: identifier, prompter: prompter, browser: call.browser { prompter.show($0) })
  try call.vault.report { () throws(Failure) in try call.print(status) }
  return .done
}
