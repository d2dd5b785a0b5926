internal import AuthBackend
internal import Basics

extension BackendConfiguration {
  /// The configuration as it would be without what is wrong, and all that is wrong: a fault hides no other one. What settings say against
  /// each other counts where each of them is right by itself.
  struct Draft {
    let configuration: BackendConfiguration
    /// In no order, and without places.
    private(set) var findings: [ConfigurationFinding]
    /// The settings whose values cannot be used.
    private let unusable: Set<String>
    private let source: ConfigurationSource

    /// Throws when the file cannot be read as one, or when a path of the environment is none.
    init(file: String?, environment: Environment) throws(Failure) {
      let named = if let file { file } else { try environment.path(ConfigurationSource.fileVariable) }
      let credentials = try environment.path("CREDENTIALS_DIRECTORY")
      source = try ConfigurationSource(file: named, environment: environment)
      var values = ConfigurationValues(source), findings = values.findings
      values.forget(findings.faulty)
      if !findings.faulty.contains("MFS_AUTHD_ISSUER") {
        do throws(Failure) { _ = try BackendSettings(issuer: values.text("ISSUER") ?? "") } catch {
          findings.append(ConfigurationFinding(true, "MFS_AUTHD_ISSUER", error.message, error.hint))
        }
      }
      if findings.faulty.contains("MFS_AUTHD_ISSUER") { values.put("https://issuer.invalid", for: "ISSUER") }
      configuration = try BackendConfiguration(values, credentials: credentials)
      unusable = findings.faulty
      self.findings = source.findings + findings + configuration.findings.following(fromNone: unusable)
    }

    /// Takes in what files say of themselves, and what they say against settings.
    mutating func add(_ files: [ConfigurationFinding], _ others: [ConfigurationFinding]) {
      findings += files + others.following(fromNone: unusable)
    }

    /// What is wrong, each once, with its place and in the order of the places.
    func placed() -> [ConfigurationFinding] { findings.placed(by: source.entries) }
  }
}
