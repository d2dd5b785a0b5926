import Basics
import SecretService
import Vault
import VaultConformance

/// What the command line asks for.
struct ConformanceRequest {
  private var backend: BackendKind?
  private var profile: ProfileName
  private var keyFile: String?
  private(set) var checks: [String] = []
  private(set) var listsChecks = false

  init(_ arguments: [String]) throws(Failure) {
    profile = try ProfileName("conformance")
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--list": listsChecks = true
      case "--backend":
        guard let kind = rest.popFirst().flatMap(BackendKind.init) else {
          throw Failure(.usage, "--backend needs one of \(BackendKind.allCases.map(\.rawValue))")
        }
        backend = kind
      case "--profile":
        guard let name = rest.popFirst() else { throw Failure(.usage, "--profile needs a name") }
        profile = try ProfileName(name)
      case "--key-file":
        guard let path = rest.popFirst() else { throw Failure(.usage, "--key-file needs a path") }
        keyFile = path
      case "--check":
        guard let name = rest.popFirst(), VaultConformance.checks.contains(where: { $0.name == name }) else {
          throw Failure(.usage, "--check needs the name of a check", hint: "see them with --list")
        }
        checks.append(name)
      default: throw Failure(.usage, "unknown argument '\(OutsideText.clean(option))'")
      }
    }
    guard backend != nil || listsChecks else {
      throw Failure(.usage, "which backend?", hint: "say --backend file or --backend secret-service")
    }
  }

  /// The suite for the backend. Throws what keeps the backend from working at all, so that it is said once.
  func suite() throws(Failure) -> VaultConformance {
    let profile = self.profile
    let directories = try Directories(environment: .current())
    switch backend {
    case .secretService:
      try SecretServiceVault.destroy(profile: profile, directories: directories)
      return VaultConformance(
        reset: { () throws(Failure) in
          try SecretServiceVault.destroy(profile: profile, directories: directories)
          _ = try SecretServiceVault.initialise(profile: profile, directories: directories)
        },
        open: { () throws(Failure) in try SecretServiceVault.open(profile: profile, directories: directories) })
    case .file:
      guard let keyFile else { throw Failure(.usage, "--backend file needs --key-file", hint: "it may be a new one") }
      if !Files.exists(keyFile) { try KeyFile.generate(keyFile, hint: "name another") }
      var unlock = UnlockOptions()
      unlock.keyFile = keyFile
      let request = VaultRequest(
        profile: profile, directories: directories, environment: .current(), unlock: unlock)
      return VaultConformance(
        reset: { () throws(Failure) in
          _ = try FileVaultStore(request).destroy()
          let secret = try unlock.newSecret(environment: request.environment)
          try FileVaultStore(request).create(VaultCreation { secret })
        },
        open: { () throws(Failure) in try FileVaultStore(request).open() })
    case nil: throw Failure(.usage, "which backend?")
    }
  }
}
