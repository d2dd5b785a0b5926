import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// The documents by which the systems of phones learn which apps belong to a host.
@Suite("app association") struct AppAssociationTests {
  static let print = (0..<32).map { "0\(String($0 % 16, radix: 16, uppercase: true))" }.joined(separator: ":")
  let fixture: FlowFixture

  init() throws {
    fixture = try FlowFixture()
    func client(_ id: String, _ redirects: [String], _ properties: [String: String], isEnabled: Bool = true) throws {
      var client = Client(id: id, name: id, redirectURIs: redirects)
      client.properties = properties
      client.isEnabled = isEnabled
      try fixture.store.put(client)
    }
    let apple = ["apple-app-id": "ABCDE12345.com.example.shop"]
    let android = [
      "android-package": "com.example.shop",
      "android-sha256-fingerprints": AppAssociationTests.print.lowercased().filter { $0 != ":" } + ", nonsense",
    ]
    try client(
      "ios", ["https://shop.example.com/cb", "https://shop.example.com/cb?x=1", "com.example.shop:/cb"], apple)
    try client("ios-beta", ["https://shop.example.com/beta", "https://elsewhere.example.com:8443/cb"], apple)
    try client("ios-star", ["https://shop.example.com/*"], ["apple-app-id": "ABCDE12345.com.example.star"])
    try client("ios-odd", ["https://shop.example.com/odd"], ["apple-app-id": "com.example.odd"])
    try client("ios-off", ["https://shop.example.com/off"], ["apple-app-id": "ABCDE12345.off"], isEnabled: false)
    try client("android", ["https://shop.example.com/cb"], android)
    try client(
      "android-odd", ["https://shop.example.com/cb"],
      ["android-package": "com.example.odd", "android-sha256-fingerprints": "12:34"])
    try client(
      "android-scheme", ["com.example.two:/cb"], android.merging(["android-package": "com.example.two"]) { $1 })
  }

  private func get(_ name: String, _ host: String?) throws -> RawResponse {
    let connection = try RawConnection(port: fixture.server.port)
    let field = host ?? "127.0.0.1:\(fixture.server.port)"
    connection.send("GET /.well-known/\(name) HTTP/1.1\r\nHost: \(field)\r\n\r\n")
    return try #require(connection.response())
  }

  @Test(arguments: ["apple-app-site-association", "assetlinks.json"]) func itIsServedAsItMustBe(name: String) throws {
    for host in [nil, "shop.example.com", "evil\"host", "a b"] {
      let answer = try get(name, host)
      #expect(answer.status == 200)
      #expect(answer.text("Content-Type") == "application/json")
      #expect(answer.text("Location") == nil)
    }
    #expect(try fixture.send("POST", "/.well-known/" + name).status == 405)
  }

  @Test func appleLearnsTheLinksOfTheHost() throws {
    let expected: JSONValue = [
      "applinks": [
        "details": [
          ["appIDs": ["ABCDE12345.com.example.shop"], "components": [["/": "/beta"], ["/": "/cb"]]]
        ]
      ], "webcredentials": ["apps": ["ABCDE12345.com.example.shop"]],
    ]
    for host in ["shop.example.com", "SHOP.example.com", "shop.example.com:443"] {
      #expect(try JSONReader.value(get("apple-app-site-association", host).body) == expected)
    }
    let other = try get("apple-app-site-association", "elsewhere.example.com:8443")
    #expect(other["applinks"]?["details"]?.items?.first?["components"] == [["/": "/cb"]])
  }

  @Test func theSignInPagesHostSharesPasswordsWithEachApp() throws {
    let answer = try get("apple-app-site-association", nil)
    #expect(answer["applinks"]?["details"] == [])
    #expect(
      answer["webcredentials"]?["apps"] == ["ABCDE12345.com.example.shop", "ABCDE12345.com.example.star"])
    #expect(try get("apple-app-site-association", "nobody.example")["webcredentials"]?["apps"] == [])
  }

  @Test func androidLearnsBothRelations() throws {
    func statement(_ package: String, _ relations: [String]) -> JSONValue {
      [
        "relation": .strings(relations),
        "target": [
          "namespace": "android_app", "package_name": .string(package),
          "sha256_cert_fingerprints": [.string(AppAssociationTests.print)],
        ],
      ]
    }
    let links = "delegate_permission/common.handle_all_urls", credentials = "delegate_permission/common.get_login_creds"
    #expect(
      try JSONReader.value(get("assetlinks.json", "shop.example.com").body)
        == [statement("com.example.shop", [links, credentials])])
    #expect(
      try JSONReader.value(get("assetlinks.json", nil).body)
        == [statement("com.example.shop", [credentials]), statement("com.example.two", [credentials])])
    #expect(try JSONReader.value(get("assetlinks.json", "nobody.example").body) == [])
  }

  @Test func theyAreAtTheRootWhateverTheIssuersPath() throws {
    let settings = try BackendSettings(issuer: "http://127.0.0.1:8080/tenant")
    let fixture = try FlowFixture { $0 = settings }
    #expect(try fixture.send("GET", "/.well-known/apple-app-site-association").status == 200)
    #expect(try fixture.send("GET", "/.well-known/assetlinks.json").status == 200)
    #expect(try fixture.send("GET", "/tenant/.well-known/assetlinks.json").status == 404)
    #expect(try fixture.send("GET", "/tenant/device").status == 200)
    #expect(try fixture.send("GET", "/device").status == 404)
  }
}
