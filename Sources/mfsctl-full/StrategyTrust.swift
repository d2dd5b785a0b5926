internal import Basics
internal import CommandLine
internal import SecureMemory
internal import StrategyHost

/// `strategy trust`: shows what a plugin asks for, asks, and pins it.
func trustStrategy(
  _ invocation: Invocation, _ catalogue: StrategyCatalogue, _ console: Console
) throws(Failure) -> ExitCode {
  let key = try invocation.value("public-key").map { path throws(Failure) in try MinisignPublicKey(file: path) }
  let proposal = try catalogue.trustProposal(file: invocation.operands.first ?? "", publicKey: key)
  if !proposal.isKnown {
    if invocation.flag("yes") {
      console.note(proposal.text)
    } else {
      try ask(proposal, console)
    }
    try catalogue.trust(proposal)
  }
  if console.json {
    try console.document(proposal.document)
  } else {
    let how = proposal.isKnown ? "is trusted already" : "is trusted now"
    try console.line("\(proposal.manifest.name) \(proposal.manifest.version): \(how)")
  }
  return .done
}

/// `strategy untrust`.
func untrustStrategy(
  _ name: String, _ catalogue: StrategyCatalogue, _ console: Console
) throws(Failure) -> ExitCode {
  let wasTrusted = try catalogue.untrust(name)
  if console.json {
    try console.document(["name": .string(name), "changed": .bool(wasTrusted)])
  } else {
    try console.line(wasTrusted ? "\(name): is not trusted any more" : "\(name): was not trusted by you")
  }
  return .done
}

private func ask(_ proposal: TrustProposal, _ console: Console) throws(Failure) {
  let name = proposal.manifest.name.text
  let nobody = Failure(
    .usage, "there is no terminal to ask on whether '\(name)' is to be trusted",
    hint: "look at what it asks for, and give --yes")
  console.instruct(proposal.text)
  let answer = try TerminalPrompt.ask("Trust \(name) with this? [y/N] ", hidden: false, noTerminal: nobody)
  guard ["y", "yes"].contains(answer.publicText()?.lowercased()) else {
    throw Failure(.cancelled, "'\(name)' was not trusted; nothing was changed")
  }
}

extension TrustProposal {
  /// What a person decides about, without a final line end. What was not granted before is marked when something was.
  fileprivate var text: String {
    var rows: [(String, String)] = [
      ("plugin", "\(manifest.name) \(manifest.version)"), ("summary", manifest.summary),
      ("operations", manifest.operations.map(\.word).joined(separator: ", ")),
    ]
    let needs = manifest.needs
    for need in needs {
      let isNew = isUpdate && need.scope.contains { added.contains($0) }
      rows.append((need.kind, need.text + (isNew ? " (not granted before)" : "")))
    }
    if needs.isEmpty { rows.append(("asks for", "nothing")) }
    rows += [
      ("file", OutsideText.clean(entry.path, limit: 400)), ("digest", entry.digest ?? "-"),
      ("publisher", publicKey.map { "the key \($0.idText) vouches for later versions" } ?? "nobody: these files only"),
    ]
    return String(table(rows).dropLast())
  }

  fileprivate var document: JSONValue {
    [
      "name": .string(manifest.name.text), "version": .string(manifest.version), "digest": .optional(entry.digest),
      "grants": .strings(manifest.scope), "added": .strings(isKnown ? [] : added),
      "publicKey": .optional(publicKey?.description), "changed": .bool(!isKnown),
    ]
  }
}
