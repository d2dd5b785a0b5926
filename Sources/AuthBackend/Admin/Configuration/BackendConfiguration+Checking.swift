internal import AuthBackend
internal import BackendKeys
internal import Basics
internal import HTTPClient

extension BackendConfiguration {
  /// Whether an address is one of this machine's own.
  static func isLoopback(_ address: String) -> Bool {
    guard let bytes = AddressText.canonical(address).flatMap({ AddressText.bytes(of: $0) }) else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// What settings that are right by themselves say against each other.
  var findings: [ConfigurationFinding] {
    var found = listeningFindings + portFindings + providerFindings + attestationFindings
    if backend.passwordDelayLimitSeconds < backend.passwordDelaySeconds {
      found.append(
        finding(
          "PASSWORD_DELAY_LIMIT_SECONDS", "the longest delay is shorter than the first", "make it no shorter",
          with: "PASSWORD_DELAY_SECONDS"))
    }
    if backend.userCodeDelayLimitSeconds < backend.userCodeDelaySeconds {
      found.append(
        finding(
          "USER_CODE_DELAY_LIMIT_SECONDS", "the longest delay is shorter than the first", "make it no shorter",
          with: "USER_CODE_DELAY_SECONDS"))
    }
    found += pepperFindings
    // Who waits for a password to be checked keeps a thread.
    if backend.passwordWorkers + backend.passwordQueue > running.workers / 2 {
      found.append(
        finding(
          "PASSWORD_QUEUE", "sign-ins that wait for their turn could take the threads that all other requests need",
          "with MFS_AUTHD_PASSWORD_WORKERS it is at most half of MFS_AUTHD_WORKERS, which is \(running.workers) here",
          with: "PASSWORD_WORKERS", "WORKERS"))
    }
    if keys.rotationSeconds <= keys.maxAgeSeconds + keys.marginSeconds {
      found.append(
        finding(
          "JWKS_MAX_AGE_SECONDS", "a key would have to be published for longer than it signs", "make it shorter",
          with: "KEY_ROTATION_SECONDS"))
    }
    return found
  }

  /// All that is stored as a hash ends with the pepper that it was hashed with. Codes live for an hour at most, and no pepper is kept for
  /// less than a day.
  private var pepperFindings: [ConfigurationFinding] {
    let lives = [
      ("FAMILY_SECONDS", "a sign-in", backend.familySeconds),
      ("BROWSER_SESSION_SECONDS", "a browser's session", backend.browserSessionSeconds),
    ]
    return lives.filter { $0.2 > peppers.keepSeconds }.map { name, what, seconds in
      finding(
        "PEPPER_KEEP_SECONDS",
        "a pepper is kept for \(peppers.keepSeconds) s, and \(what), which would end with it, may last \(seconds) s",
        "keep it at least as long as MFS_AUTHD_\(name)", with: name)
    }
  }

  /// Two servers that would want the same port of an address. 0 is any free one.
  private var portFindings: [ConfigurationFinding] {
    guard let metrics, metrics.port == listen.port, listen.port != 0,
      BackendConfiguration.overlap(metrics.address, listen.address)
    else { return [] }
    return [
      finding(
        "METRICS_PORT",
        "the metrics would be at the port of the server itself, \(listen.port), which only one can have",
        "make MFS_AUTHD_METRICS_PORT another one than MFS_AUTHD_LISTEN_PORT",
        with: "LISTEN_PORT", "METRICS_ADDRESS", "LISTEN_ADDRESS")
    ]
  }

  /// Whether what listens on one address takes a port from the other. `::` is every address of this machine, of IPv4 too.
  static func overlap(_ one: String, _ other: String) -> Bool {
    let bytes = [one, other].compactMap { AddressText.canonical($0).flatMap { AddressText.bytes(of: $0) } }
    guard bytes.count == 2 else { return false }
    let isForAll = { (address: [UInt8]) in address.allSatisfy { $0 == 0 } }
    return bytes[0] == bytes[1]
      || bytes.contains { isForAll($0) && ($0.count == 16 || bytes.allSatisfy { $0.count == 4 }) }
  }

  private var listeningFindings: [ConfigurationFinding] {
    var found: [ConfigurationFinding] = []
    let isPrivate = BackendConfiguration.isLoopback(listen.address)
    if tls == nil, !isPrivate, backend.trustedProxies.isEmpty {
      found.append(
        finding(
          "LISTEN_ADDRESS", "passwords and tokens would go to \(listen.address) in the clear",
          "set MFS_AUTHD_TLS_CERTIFICATE and MFS_AUTHD_TLS_KEY, or list the proxies in front",
          with: "TLS_CERTIFICATE", "TLS_KEY", "TRUSTED_PROXIES"))
    }
    if tls == nil, isPrivate, backend.issuer.hasPrefix("https:"), backend.trustedProxies.isEmpty {
      found.append(
        finding(
          "TRUSTED_PROXIES", "all clients behind a proxy on this machine count as one, because it is not listed",
          "list it in MFS_AUTHD_TRUSTED_PROXIES: 127.0.0.1", isError: false, with: "ISSUER", "LISTEN_ADDRESS",
          "TLS_CERTIFICATE", "TLS_KEY"))
    }
    if let metrics, !BackendConfiguration.isLoopback(metrics.address) {
      found.append(
        finding(
          "METRICS_ADDRESS", "whoever reaches this address can read the metrics", "let a firewall see to it",
          isError: false, with: "METRICS_PORT"))
    }
    if let webhook, webhook.url.origin.scheme == "http", !webhook.isListed {
      found.append(
        finding(
          "WEBHOOK_URL", "alerts would go over the net in the clear", "use https, or list the host as your own",
          with: "WEBHOOK_ALLOWED_HOSTS"))
    }
    return found + privateFindings(asking: false)
  }

  /// Hosts that would not be asked, since they are of this machine or a private network and are not listed. With `asking` the name service
  /// says what a name means now; without, only those count that can mean nothing else.
  func privateFindings(asking: Bool) -> [ConfigurationFinding] {
    var found: [ConfigurationFinding] = []
    if let webhook, !webhook.isListed, webhook.url.origin.scheme == "https",
      webhook.url.origin.reach(asking: asking) == .isPrivate
    {
      found.append(
        finding(
          "WEBHOOK_URL",
          "the webhook's host is of this machine or of a private network, and is not listed: no alert would be sent",
          "list it in MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS, if it is your own", with: "WEBHOOK_ALLOWED_HOSTS"))
    }
    let usual = [IdentityProvider.apple, .google].map(\.keysURL)
    for provider in backend.identityProviders where !usual.contains(provider.keysURL) {
      guard let url = HTTPURL(provider.keysURL), url.origin.scheme == "https",
        !backend.privateHosts.contains(url.origin.host), url.origin.reach(asking: asking) == .isPrivate
      else { continue }
      let name = provider.name.uppercased() + "_KEYS_URL"
      found.append(
        finding(
          name, "the host of MFS_AUTHD_\(name) is of this machine or of a private network, so it is not asked",
          "list it in MFS_AUTHD_PRIVATE_HOSTS, if it is your own", with: "PRIVATE_HOSTS"))
    }
    return found
  }

  private var providerFindings: [ConfigurationFinding] {
    backend.identityProviders.compactMap { provider in
      guard let url = HTTPURL(provider.keysURL), url.origin.scheme != "https",
        !backend.privateHosts.contains(url.origin.host)
      else { return nil }
      let name = provider.name.uppercased() + "_KEYS_URL"
      return finding(
        name, "MFS_AUTHD_\(name) is not https, so its host is not asked",
        "use https, or for a trial on this machine list the host in MFS_AUTHD_PRIVATE_HOSTS",
        with: "PRIVATE_HOSTS")
    }
  }

  private var attestationFindings: [ConfigurationFinding] {
    switch (attestation.packages.isEmpty, attestation.folder) {
    case (false, nil):
      [
        finding(
          "PLAY_INTEGRITY_FOLDER",
          "MFS_AUTHD_PLAY_INTEGRITY_FOLDER is not set, and MFS_AUTHD_PLAY_INTEGRITY_PACKAGES is: the keys of the apps must be somewhere",
          "set it", with: "PLAY_INTEGRITY_PACKAGES")
      ]
    case (true, .some):
      [
        finding(
          "PLAY_INTEGRITY_PACKAGES",
          "no key of the folder MFS_AUTHD_PLAY_INTEGRITY_FOLDER is used: no package is listed",
          "list the apps in MFS_AUTHD_PLAY_INTEGRITY_PACKAGES", isError: false, with: "PLAY_INTEGRITY_FOLDER")
      ]
    default: []
    }
  }

  func finding(
    _ name: String, _ message: String, _ help: String?, isError: Bool = true, with related: String...
  ) -> ConfigurationFinding {
    ConfigurationFinding(isError, "MFS_AUTHD_" + name, message, help, related: related.map { "MFS_AUTHD_" + $0 })
  }
}
