internal import Basics
internal import Glibc

// A program that uses a store as the server does, for tests that kill it and for figures by hand:
//   store-probe commit FILE FAMILIES     rotates families until it is killed; one line "family generation" for each commit
//   store-probe fill FILE BYTES          adds codes until the store refuses, with files limited to so many bytes
//   store-probe keys FILE COUNT          adds keys, each after the newest one it sees, and says how many it was first with
//   store-probe end FILE                 ends all families and says how many, and the most memory that it had, in KiB
//   store-probe revoke FILE COUNT        ends families sid-1 to sid-COUNT on eight threads, each with its record, until it is killed
//   store-probe attest FILE DEVICES      signs devices in with keys whose counters rise, each with its record, until it is killed
//   store-probe bench FILE CALLERS SECONDS [FAMILIES]
let arguments = Swift.CommandLine.arguments

do throws(Failure) {
  switch arguments.dropFirst().first {
  case "commit": try commitForever(file: argument(2), families: number(3))
  case "fill": try fill(file: argument(2), limit: number(3))
  case "keys": try addKeys(file: argument(2), count: number(3))
  case "end": try endAll(file: argument(2))
  case "revoke": try revoke(file: argument(2), count: number(3))
  case "attest": try attest(file: argument(2), devices: number(3))
  case "bench": try bench(file: argument(2), callers: number(3), seconds: number(4), families: number(5, else: 1_000))
  default: throw Failure(.usage, "store-probe commit|fill|keys|end|revoke|attest|bench FILE ...")
  }
} catch {
  print("failed \(error.code.name): \(error)")
  exit(error.code.exit.rawValue)
}

func argument(_ index: Int) throws(Failure) -> String {
  guard arguments.indices.contains(index) else { throw Failure(.usage, "an argument is missing") }
  return arguments[index]
}

func number(_ index: Int, else fallback: Int? = nil) throws(Failure) -> Int {
  if !arguments.indices.contains(index), let fallback { return fallback }
  guard let number = Int(try argument(index)) else { throw Failure(.usage, "a number is wanted") }
  return number
}

/// Says a line at once: what is killed has nothing left to say.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
