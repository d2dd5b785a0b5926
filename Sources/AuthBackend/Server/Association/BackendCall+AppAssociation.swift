internal import BackendStore
internal import Basics
internal import HTTPClient
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// Which apps of Apple's systems belong to this host (Apple, "Supporting associated domains"): links to their redirect URIs open in
  /// them, and passwords saved for the host are offered in them.
  func appleAppSiteAssociation() throws -> ServerResponse {
    let host = askedHost
    var apps: [String] = []
    var details: [JSONValue] = []
    for (app, clients) in try clients(by: "apple-app-id", AppID.isApple) {
      let paths = Set(clients.flatMap { linkPaths($0, host) }).sorted()
      guard !paths.isEmpty || host == issuerHost else { continue }
      apps.append(app)
      guard !paths.isEmpty else { continue }
      details.append([
        "appIDs": .strings([app]), "components": .array(paths.map { ["/": .string($0)] }),
      ])
    }
    return document(["applinks": ["details": .array(details)], "webcredentials": ["apps": .strings(apps)]])
  }

  /// Which apps of Android's belong to this host (Google, "Digital Asset Links"), as for Apple's.
  func assetLinks() throws -> ServerResponse {
    let host = askedHost
    var statements: [JSONValue] = []
    for (package, clients) in try clients(by: "android-package", AppID.isAndroid) {
      let prints = Set(
        clients.flatMap { AppID.fingerprints($0.properties["android-sha256-fingerprints"] ?? "") }
      ).sorted()
      let hasLinks = clients.contains { !linkPaths($0, host).isEmpty }
      guard !prints.isEmpty, hasLinks || host == issuerHost else { continue }
      let relations =
        (hasLinks ? ["delegate_permission/common.handle_all_urls"] : [])
        + ["delegate_permission/common.get_login_creds"]
      statements.append([
        "relation": .strings(relations),
        "target": [
          "namespace": "android_app", "package_name": .string(package), "sha256_cert_fingerprints": .strings(prints),
        ],
      ])
    }
    return document(.array(statements))
  }

  /// The clients of each app that a property names, by its name.
  private func clients(
    by property: String, _ isValid: (String) -> Bool
  ) throws(Failure) -> [(app: String, clients: [Client])] {
    let named = try store.clients().filter { $0.isEnabled && isValid($0.properties[property] ?? "") }
    return Dictionary(grouping: named) { $0.properties[property] ?? "" }.sorted { $0.key < $1.key }
      .map { (app: $0.key, clients: $0.value) }
  }

  /// The paths of a client's redirect URIs at a host. One with a character that stands for others in a pattern of Apple's is left out.
  private func linkPaths(_ client: Client, _ host: String) -> [String] {
    client.redirectURIs.compactMap { text -> String? in
      guard let url = HTTPURL(text), url.origin.scheme == "https", HostText.authority(url.origin) == host else {
        return nil
      }
      let path = String(url.target.prefix { $0 != "?" })
      return path.contains("*") ? nil : path
    }
  }

  /// The host that the document is asked of: several may lead here, and each answers for its own links alone.
  private var askedHost: String {
    guard let field = request.headers.first("Host"), let url = HTTPURL("https://" + field) else { return issuerHost }
    return HostText.authority(url.origin)
  }

  private var issuerHost: String {
    // The document is asked for by https whatever a trial's issuer says.
    let authority = settings.issuer.split(separator: "/").dropFirst().first ?? ""
    return HTTPURL("https://" + authority).map { HostText.authority($0.origin) } ?? ""
  }

  // Neither maker's systems follow a redirect or take another media type.
  private func document(_ value: JSONValue) -> ServerResponse {
    ServerResponse(
      status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "public, max-age=300"],
      text: value.text)
  }
}

/// Hosts as they are compared here.
enum HostText {
  /// Host and port, without the port of https.
  static func authority(_ origin: HTTPOrigin) -> String {
    origin.port == 443 ? origin.host : "\(origin.host):\(origin.port)"
  }
}
