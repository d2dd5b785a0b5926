/// Where mfsctl keeps its files: the XDG base directories, or `$MFSCTL_HOME/{config,data,state,runtime}`.
public struct Directories: Sendable, Equatable {
  /// Profile settings live below this: `config/profiles/PROFILE.yaml`.
  public let config: String
  /// Vault files live below this: `data/vault/PROFILE.mfsv`.
  public let data: String
  /// The decision log lives below this: `state/session.log`.
  public let state: String
  /// Sockets and volatile files live below this; nil when there is no runtime directory.
  public let runtime: String?

  /// Directories given one by one.
  public init(config: String, data: String, state: String, runtime: String?) {
    self.config = config
    self.data = data
    self.state = state
    self.runtime = runtime
  }

  /// The directories that an environment asks for. Relative XDG paths are ignored, as that specification says.
  /// Throws ``FailureCode/configuration`` when neither `MFSCTL_HOME` nor an absolute `HOME` is set,
  /// or one that counts is not UTF-8.
  public init(environment: Environment) throws(Failure) {
    if let home = try environment.path("MFSCTL_HOME") {
      guard home.utf8.first == 0x2F else {
        throw Failure(
          .configuration, "MFSCTL_HOME is not an absolute path", hint: "set it to a path that begins with '/'")
      }
      self.init(
        config: home + "/config", data: home + "/data", state: home + "/state", runtime: home + "/runtime")
      return
    }
    func absolute(_ name: String) throws(Failure) -> String? {
      try environment.path(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = try absolute("HOME")
    func base(_ variable: String, _ fallback: String) throws(Failure) -> String {
      if let path = try absolute(variable) { return path + "/mfsctl" }
      guard let home else {
        throw Failure(
          .configuration, "there is no home directory: neither HOME nor \(variable) is an absolute path",
          hint: "set HOME or MFSCTL_HOME")
      }
      return "\(home)/\(fallback)/mfsctl"
    }
    self.init(
      config: try base("XDG_CONFIG_HOME", ".config"), data: try base("XDG_DATA_HOME", ".local/share"),
      state: try base("XDG_STATE_HOME", ".local/state"), runtime: try absolute("XDG_RUNTIME_DIR").map { $0 + "/mfsctl" }
    )
  }
}
