// A vault in the keyring, driven from outside by the tests: secret-service-probe COMMAND [ARGUMENT]... It exits with the
// exit code of the failure and prints it on stderr as `code.name: message`.
import Basics
import Glibc
import SecretService
import SecureMemory
import Vault

func run(_ arguments: [String]) throws(Failure) {
  let directories = try Directories(environment: .current())
  let profile = try ProfileName(Environment.current()["PROBE_PROFILE"] ?? "probe")
  var options = SecretServiceVault.Options()
  // A keyring beside hundreds of other tests is slow; how patient the toolkit is is no matter here.
  options.timeoutMilliseconds = 60_000
  if let text = Environment.current()["PROBE_TIMEOUT_MS"], let limit = Int32(text) {
    options.timeoutMilliseconds = limit
  }
  if let text = Environment.current()["PROBE_LOCK_MS"], let limit = Int32(text) { options.lockMilliseconds = limit }
  options.allowPrompt = Environment.current()["PROBE_PROMPT"] != nil
  func open() throws(Failure) -> SecretServiceVault {
    try SecretServiceVault.open(profile: profile, directories: directories, options: options)
  }
  switch arguments.first {
  case "init": _ = try SecretServiceVault.initialise(profile: profile, directories: directories, options: options)
  case "status":
    let status = try SecretServiceVault.status(profile: profile, options: options)
    print("initialised=\(status.isInitialised) locked=\(status.isLocked) generation=\(status.generation ?? 0)")
  case "set":  // NAME BYTE-COUNT: bytes that depend on both
    guard arguments.count == 3, let count = Int(arguments[2]) else { throw Failure(.usage, "set NAME COUNT") }
    let name = try KeyName(arguments[1])
    try open().update { contents throws(Failure) in contents.set(name, try made(name, count)) }
  case "fill":  // several at once
    try open().update { contents throws(Failure) in
      for text in arguments.dropFirst() {
        let name = try KeyName(text)
        contents.set(name, try made(name, 40))
      }
    }
  case "pair":  // SIZE: one change of two values
    guard arguments.count == 2, let count = Int(arguments[1]) else { throw Failure(.usage, "pair COUNT") }
    try open().update { contents throws(Failure) in
      for name in [try KeyName("auth.first"), try KeyName("auth.second")] { contents.set(name, try made(name, count)) }
    }
  case "show":  // names with sizes and a digest of the bytes
    let contents = try open().contents()
    print("generation \(contents.generation)")
    for name in contents.names {
      guard let entry = contents[name] else { continue }
      print("\(name) \(entry.value.count) \(digest(entry.value)) \(entry.updatedAt.seconds)")
    }
  case "logout": try open().update { contents throws(Failure) in contents.removeAll(where: \.isCredential) }
  case "wipe": try open().update { contents throws(Failure) in contents.removeAll { _ in true } }
  case "destroy": print(try SecretServiceVault.destroy(profile: profile, directories: directories, options: options))
  default: throw Failure(.usage, "which command?")
  }
}

/// Bytes made from a name, so that a test knows them again: the name's letters, over and over, counted up.
func made(_ name: KeyName, _ count: Int) throws(Failure) -> SecureBytes {
  let letters = Array(name.text.utf8)
  let value = try SecureBytes(count: count)
  unsafe value.withMutableBytes { bytes in
    for index in 0..<bytes.count {
      unsafe bytes[index] = letters[index % letters.count] &+ UInt8(truncatingIfNeeded: index / 251)
    }
  }
  return value
}

/// FNV-1a, 64 bits.
func digest(_ value: borrowing SecureBytes) -> String {
  unsafe value.withBytes { bytes in
    String(unsafe bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }
}

do throws(Failure) {
  try ProcessHardening.apply()
  try run(ProcessArguments.current().checked())
} catch {
  let text = Array("\(error.code.name): \(error)\n".utf8)
  _ = unsafe write(2, text, text.count)
  exit(error.code.exit.rawValue)
}
