// Runs the conformance suite of vault backends and prints what was violated:
//
//   vault-conformance --backend secret-service [--profile NAME] [--check NAME]...
//   vault-conformance --backend file --key-file FILE [--profile NAME] [--check NAME]...
//   vault-conformance --list
//
// It empties the profile's vault over and over; the profile is `conformance` unless named. Exit 0: all kept, 1: violations,
// 2: wrong usage, else what kept it from running.
import Basics
import Glibc
import SecureMemory
import VaultConformance

do throws(Failure) {
  try ProcessHardening.apply()
  let request = try ConformanceRequest(ProcessArguments.current().checked())
  if request.listsChecks {
    for check in VaultConformance.checks { print("\(check.name): \(check.summary)") }
    exit(0)
  }
  let suite = try request.suite()
  let violations = suite.run(only: request.checks.isEmpty ? nil : Set(request.checks)) {
    print("checking \($0)")
    fflush(nil)
  }
  for violation in violations { print("VIOLATED \(violation)") }
  print(violations.isEmpty ? "every promise is kept" : "\(violations.count) violations")
  exit(violations.isEmpty ? 0 : 1)
} catch {
  print("vault-conformance: \(error)")
  exit(error.code.exit.rawValue)
}
