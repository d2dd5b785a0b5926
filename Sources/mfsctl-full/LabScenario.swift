internal import Basics
internal import CommandLine
internal import GatewayLab

/// `mfsctl lab scenario`: what can go wrong, for people or as one JSON document; with `check` what a file says.
func labScenario(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  if !invocation.operands.isEmpty {
    guard invocation.operands.count == 2, let file = invocation.operands.last else {
      throw Failure(.usage, "mfsctl lab scenario check needs FILE", hint: "name the scenario file")
    }
    return try checkScenario(file, console)
  }
  if console.json {
    try console.document([
      "faults": .array(
        Fault.Kind.allCases.map { kind in
          ["fault": .string(kind.rawValue), "summary": .string(kind.summary), "fields": .strings(kind.fields)]
        }),
      "operations": .array(
        Operation.allCases.map { ["on": .string($0.rawValue), "summary": .string($0.summary)] }),
      "idpFaults": .array(
        ProviderFault.Kind.allCases.map { kind in
          ["fault": .string(kind.rawValue), "summary": .string(kind.summary), "fields": .strings(kind.fields)]
        }),
      "idpEndpoints": .array(
        ProviderEndpoint.allCases.map { ["on": .string($0.rawValue), "path": .string($0.path)] }),
      "actions": .array(
        Script.Action.all.map { ["do": .string($0.name), "summary": .string($0.summary)] }),
    ])
    return .done
  }
  try console.line("Faults:")
  for kind in Fault.Kind.allCases { try console.line(row(kind.rawValue, kind.summary)) }
  try console.line("\nRequests that a fault's 'on' can name (default: all of them):")
  for operation in Operation.allCases { try console.line(row(operation.rawValue, operation.summary)) }
  try console.line("\nFaults of the identity provider, in the part 'idp':")
  for kind in ProviderFault.Kind.allCases { try console.line(row(kind.rawValue, kind.summary, width: 30)) }
  try console.line("\nEndpoints that such a fault's 'on' can name (default: all where it has a meaning):")
  for endpoint in ProviderEndpoint.allCases { try console.line(row(endpoint.rawValue, endpoint.path, width: 30)) }
  try console.line("\nWhat a step of a script can do once, in its 'do':")
  for action in Script.Action.all { try console.line(row(action.name, action.summary, width: 30)) }
  try console.write(
    """

    A scenario file, for --scenario or PUT to the control port's /scenario:
      version: 1
      faults:
        - fault: slow
          on: [session-create]
          after: 1         # the first such request is answered rightly
          times: 2         # the next two are not
          delay-ms: 3000
      idp:                 # with --idp lab
        faults:
          - fault: unavailable
            on: [token]
            retry-after: 2
      script:
        - at: 5s           # after the beginning; ms, s, m, h, d
          for: 3s          # and then it is as before
          set: {database-state: offline}
        - at: 10s
          faults: [{fault: slow, on: [session-create], delay-ms: 500}]
          clock: 2h        # the gateway's and the identity provider's
        - at: 20s
          do: [rotate-keys, cut-replications]

    """)
  return .done
}

private func row(_ name: String, _ summary: String, width: Int = 18) -> String {
  "  " + name + String(repeating: " ", count: max(1, width - name.count)) + summary
}
