internal import Basics
internal import StrategyHost

extension StrategyFailure {
  /// Which kind of trouble a reason is.
  var trouble: Trouble {
    switch reason {
    case .badSettings: .settings
    case .badCredentials: .credentialsRejected
    case .interactionNeeded: .interactionNeeded
    case .network: .unreachable
    case .server, .protocolViolation: .server
    case .refused: .refused
    case .cancelled: .cancelled
    case .denied: .pluginRefused
    case .internal: .pluginFailed
    }
  }

  /// The failure that a command reports: with the app's own words where it has some, and the strategy's beside them.
  /// With `byProvider` the person signs in at an identity provider, and no password was sent from here.
  func failure(of operation: StrategyOperation, strategy: String, byProvider: Bool = false) -> Failure {
    let said = OutsideText.clean(message)
    let isLogin = operation == .login
    switch reason {
    case .badSettings: return Failure(.configuration, said, hint: "run 'mfsctl env lint'")
    case .badCredentials where status == nil:
      // The strategy itself saw that they are none. Whether it asked somebody first is not known here.
      return Failure(.credentialsRejected, said, hint: "nothing was stored")
    case .badCredentials where byProvider:
      return Failure(
        .credentialsRejected, said,
        hint:
          "is the provider the gateway's own, has the user the claim that it names users by (such as preferred_username), does it know or "
          + "register that user, and is EXPO_PUBLIC_SG_DB right?"
      )
    case .badCredentials:
      return Failure(
        .credentialsRejected, SessionTexts.wrongCredentials,
        hint: "if they are right, check EXPO_PUBLIC_SG_DB: a gateway answers the same for a database it does not have")
    case .interactionNeeded: return Failure(.signInNeeded, said, hint: "run 'mfsctl session login'")
    case .network:
      return Failure(
        .network,
        // What the client says begins with the same words.
        isLogin
          ? SessionTexts.unreachable
          : said.hasPrefix("cannot reach ") ? said : "the server could not be reached: \(said)",
        hint: isLogin ? said : "the session is kept; try again")
    case .server, .protocolViolation:
      let wait = retryAfter.map { "the server asks to wait \($0) s; then try again" }
      return Failure(.network, "the server has trouble: \(said)", hint: wait ?? "nothing was changed; try again")
    case .refused:
      return Failure(.serverRefused, "the server refused: \(said)", hint: "check the settings: 'mfsctl env resolve'")
    case .cancelled:
      return isLogin ? Failure(.signInNeeded, "the sign-in was cancelled") : Failure(.cancelled, "cancelled")
    case .denied:
      return Failure(
        .pluginRefused, "the strategy \(strategy) was denied a call: \(said)",
        hint: "its manifest does not ask for all that it needs; tell the plugin's author")
    case .internal:
      return Failure(
        .pluginFailed, "the strategy \(strategy) failed: \(said)",
        hint: "--verbose shows its log; if it happens again, tell the plugin's author")
    }
  }
}

extension Trouble {
  /// The kind of trouble that a failure of running a strategy is; nil when it is none of the strategy's, such as a disk
  /// that is full.
  init?(_ failure: Failure) {
    switch failure.code {
    case .pluginRefused: self = .pluginRefused
    case .pluginFailed: self = .pluginFailed
    case .cancelled: self = .cancelled
    case .signInNeeded: self = .interactionNeeded
    case .network: self = .unreachable
    case .serverRefused: self = .refused
    case .configuration: self = .settings
    default: return nil
    }
  }
}
