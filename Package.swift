// swift-tools-version: 6.2
import PackageDescription

// One place for how every Swift target is compiled: Swift 6 mode (the tools version's default), strict memory safety,
// warnings as errors, and the upcoming features that make imports and existentials explicit.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A system library of Debian's, wrapped as a module in `Sources/CLibraries`.
func system(_ name: String, _ pkgConfig: String, _ apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func library(
  _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, settings: [SwiftSetting] = strict
) -> Target {
  .target(name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", swiftSettings: settings)
}

func executable(
  _ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strict, link: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings, linkerSettings: link)
}

// Tests are held to warnings as errors too, but may use Foundation and its pointers freely.
let testing: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests", resources: resources,
    swiftSettings: testing)
}

/// For what must start at once, `mfsctl` and a plugin's process: without the imports of Concurrency and StringProcessing that
/// a module has unasked, which would have the process load or carry both, and Dispatch with them, at each start.
let lean: [SwiftSetting] =
  strict + [
    .unsafeFlags([
      "-Xfrontend", "-disable-implicit-concurrency-module-import",
      "-Xfrontend", "-disable-implicit-string-processing-module-import",
    ])
  ]

#if arch(arm64)
  let debianLibraries = "/usr/lib/aarch64-linux-gnu"
#else
  let debianLibraries = "/usr/lib/x86_64-linux-gnu"
#endif
/// Where Debian has the headers of libsecret and GLib.
let secretHeaders = ["/usr/include/libsecret-1", "/usr/include/glib-2.0", "\(debianLibraries)/glib-2.0/include"]

/// A login strategy: one dynamic library, `libmfs-strategy-NAME.so`.
let strategies: [(name: String, folder: String, dependencies: [Target.Dependency])] = [
  ("basic", "Basic", []), ("demo", "Demo", []), ("oidc_code", "OIDCCode", ["StrategyOIDC"]),
  ("oidc_implicit", "OIDCImplicit", ["StrategyOIDC"]),
]
let strategyProducts: [Product] = strategies.map {
  .library(name: "mfs-strategy-\($0.name)", type: .dynamic, targets: ["\($0.folder)Strategy"])
}
let strategyTargets: [Target] = strategies.map {
  .target(
    name: "\($0.folder)Strategy", dependencies: ["Basics", "CStrategyABI", "StrategyKit"] + $0.dependencies,
    path: "Sources/StrategyPlugins/\($0.folder)", exclude: ["mfs-strategy-\($0.name).yaml"], swiftSettings: lean,
    // Every run copies and digests the whole library: one without symbols but the entry function is three fifths as large.
    linkerSettings: [
      .unsafeFlags(
        [
          "-Xlinker", "-s",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/StrategyPlugins/ABI/exports.map",
        ], .when(configuration: .release))
    ])
}

let package = Package(
  name: "mfsctl",
  products: [
    .executable(name: "mfsctl", targets: ["mfsctl"]),
    .executable(name: "mfsctl-full", targets: ["mfsctl-full"]),
    .executable(name: "mfs-authd", targets: ["mfs-authd"]),
    .executable(name: "mfs-strategy-host", targets: ["mfs-strategy-host"]),
    .executable(name: "mfs-strategy-trial", targets: ["mfs-strategy-trial"]),
    .library(name: "StrategyKit", targets: ["StrategyKit"]),
    .library(name: "MFSResourceServer", targets: ["MFSResourceServer"]),
  ] + strategyProducts,
  targets: [
    // One system library each.
    system("CSodium", "libsodium", "libsodium-dev"),
    system("CYAML", "yaml-0.1", "libyaml-dev"),
    // Headers alone: `pkgConfig:` would have whoever imports it load libsecret at its start. CSecretLoader loads it.
    .systemLibrary(name: "CSecret", path: "Sources/CLibraries/CSecret"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev"),
    system("COpenSSL", "libcrypto", "libssl-dev"),
    system("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
    system("CSQLite", "sqlite3", "libsqlite3-dev"),
    system("CSeccomp", "libseccomp", "libseccomp-dev"),
    .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),
    .target(name: "CSecretLoader", path: "Sources/CLibraries/CSecretLoader", exclude: ["functions.h"]),
    .target(name: "CBuildInfo", path: "Sources/CLibraries/CBuildInfo"),
    .target(name: "CSandbox", path: "Sources/CLibraries/CSandbox"),

    // Small, shared, know nothing above.
    library("Basics", ["CLinux"], settings: lean),
    library("SecureMemory", ["Basics", "CSodium", "CLinux"], settings: lean),
    library("CommandLine", ["Basics"], settings: lean),
    library("YAML", ["Basics", "CYAML"], settings: lean),
    library("HTTPClient", ["Basics", "SecureMemory", "CCurl"]),
    library("HTTPServer", ["Basics", "SecureMemory", "CLinux", "CMicroHTTPD"]),
    library("OAuthHTTP", ["Basics", "SecureMemory", "HTTPServer", "CSodium"]),
    library("WebSocket", ["Basics", "COpenSSL"]),
    library("JOSE", ["Basics", "SecureMemory", "COpenSSL", "CSodium"], settings: lean),

    // What the project exists for.
    library("Settings", ["Basics", "YAML"], settings: lean),
    library("Vault", ["Basics", "SecureMemory", "YAML", "CSodium", "CLinux"], settings: lean),
    library(
      "SecretService", ["Basics", "SecureMemory", "Vault", "CSecret", "CSecretLoader", "CSodium", "CLinux"],
      settings: strict + [.unsafeFlags(secretHeaders.flatMap { ["-Xcc", "-isystem", "-Xcc", $0] })]),
    library("VaultConformance", ["Basics", "SecureMemory", "Vault"]),
    .target(name: "CStrategyABI", path: "Sources/StrategyPlugins/ABI", exclude: ["exports.map"]),
    library("StrategyWire", ["Basics"], path: "Sources/StrategyPlugins/Wire", settings: lean),
    library(
      "StrategyBridge", ["Basics", "CStrategyABI", "StrategyWire"], path: "Sources/StrategyPlugins/Bridge",
      settings: lean),
    library(
      "StrategyKit", ["Basics", "CStrategyABI", "StrategyWire", "StrategyBridge"], path: "Sources/StrategyPlugins/Kit",
      settings: lean),
    library("StrategyOIDC", ["Basics", "StrategyKit"], path: "Sources/StrategyPlugins/OIDC", settings: lean),
    library(
      "StrategyHost",
      ["Basics", "SecureMemory", "YAML", "JOSE", "HTTPClient", "StrategyWire", "CSodium", "CLinux"]),
    library("Browser", ["Basics", "SecureMemory", "HTTPServer", "CLinux"]),
    library(
      "Session",
      [
        "Basics", "SecureMemory", "HTTPClient", "WebSocket", "Replication", "Vault", "StrategyHost", "Browser",
        "CLinux",
      ]),
    library("Replication", ["Basics", "SecureMemory", "HTTPClient", "WebSocket"]),
    library(
      "GatewayLab",
      [
        "Basics", "SecureMemory", "YAML", "JOSE", "HTTPClient", "HTTPServer", "OAuthHTTP", "WebSocket", "Replication",
        "CSodium",
      ]),

    // The mobile auth backend.
    library("BackendStore", ["Basics", "CSQLite", "CSodium"], path: "Sources/AuthBackend/Store"),
    library(
      "BackendStoreConformance", ["Basics", "BackendStore"], path: "Sources/AuthBackend/StoreConformance"),
    library(
      "BackendKeys", ["Basics", "SecureMemory", "Vault", "JOSE", "BackendStore", "CSodium"],
      path: "Sources/AuthBackend/Keys"),
    // For resource servers of others: verifies access tokens, and asks an mfs-authd over the network which are denied.
    library(
      "MFSResourceServer", ["Basics", "SecureMemory", "JOSE", "HTTPClient", "CSodium"],
      path: "Sources/AuthBackend/ResourceServer"),
    library(
      "DeviceAttestation", ["Basics", "SecureMemory", "JOSE", "COpenSSL"], path: "Sources/AuthBackend/Attestation"),
    library(
      "AuthBackend",
      [
        "Basics", "SecureMemory", "YAML", "Settings", "HTTPServer", "HTTPClient", "OAuthHTTP", "JOSE", "BackendStore",
        "BackendKeys", "MFSResourceServer", "DeviceAttestation", "CSodium",
      ], path: "Sources/AuthBackend/Server"),

    library(
      "BackendAdmin",
      [
        "Basics", "SecureMemory", "YAML", "Settings", "HTTPServer", "HTTPClient", "JOSE", "Vault", "BackendStore",
        "BackendKeys", "DeviceAttestation", "AuthBackend",
      ], path: "Sources/AuthBackend/Admin"),

    // Parse, call, print.
    library(
      "mfsctlCommands", ["Basics", "CBuildInfo", "SecureMemory", "CommandLine", "YAML", "Settings", "Vault"],
      settings: lean),
    // Linked statically: it starts in about the time of a C program (docs/ARCHITECTURE.md says more).
    executable(
      "mfsctl", ["Basics", "CommandLine", "mfsctlCommands"], settings: lean,
      link: [.unsafeFlags(["-static-executable", "-Xlinker", "--gc-sections"])]),
    executable(
      "mfsctl-full",
      [
        "Basics", "SecureMemory", "CommandLine", "HTTPClient", "HTTPServer", "Settings", "Vault", "SecretService",
        "StrategyHost", "Browser", "Session", "GatewayLab", "mfsctlCommands",
      ],
      // Its own copies of the Swift runtime and, by StaticLinks, of the C++ library: less of the loader's work at each start.
      // lld, because the archives of the two need each other.
      link: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-L", "\(Context.packageDirectory)/Sources/CLibraries/StaticLinks",
        ])
      ]),
    executable(
      "mfs-authd",
      [
        "Basics", "CBuildInfo", "SecureMemory", "CommandLine", "YAML", "Settings", "HTTPServer", "HTTPClient", "Vault",
        "BackendStore", "BackendKeys", "AuthBackend", "BackendAdmin",
      ], link: [.unsafeFlags(["-static-stdlib"])]),
    // Writes the built-in catalog as Swift: `make generate`.
    executable("embed-catalog", ["Basics", "CommandLine", "Settings"]),
    // For those who write a vault backend: runs the conformance suite against one.
    executable("vault-conformance", ["Basics", "SecureMemory", "Vault", "SecretService", "VaultConformance"]),
    library(
      "StrategyRunner", ["Basics", "CStrategyABI", "StrategyWire", "StrategyBridge", "CLinux", "CSandbox"],
      path: "Sources/StrategyPlugins/Runner", settings: lean),
    executable(
      "mfs-strategy-host", ["StrategyWire", "StrategyRunner", "CSeccomp", "CLinux", "CSandbox"], settings: lean),
    // For the conformance kit: the same without a sandbox, which the runtime of AddressSanitizer does not fit into.
    executable("mfs-strategy-trial", ["StrategyWire", "StrategyRunner", "CLinux"], settings: lean),

    // No test target depends on an executable: the linker flags of the static one would reach the test runner.
    .target(
      name: "TestSupport", dependencies: ["CLinux"], path: "Tests/Support", exclude: ["requirements.txt"],
      swiftSettings: testing),
    tests("Transcript", ["TestSupport"]),
    tests("Basics", ["Basics", "CLinux", "TestSupport"]),
    tests("SecureMemory", ["Basics", "SecureMemory", "TestSupport"]),
    tests("CommandLine", ["Basics", "CommandLine"]),
    tests("YAML", ["Basics", "YAML"]),
    tests("Catalog", ["Basics", "YAML", "Settings", "TestSupport"]),
    tests("Settings", ["Basics", "Settings", "TestSupport"], resources: [.copy("Data")]),
    .executableTarget(
      name: "secret-service-probe", dependencies: ["Basics", "SecureMemory", "Vault", "SecretService"],
      path: "Tests/SecretServiceProbe", swiftSettings: strict),
    .executableTarget(
      name: "watch-probe", dependencies: ["Basics", "SecureMemory", "Vault", "StrategyHost", "Session"],
      path: "Tests/WatchProbe", swiftSettings: strict),
    tests("SecretService", ["Basics", "SecureMemory", "Vault", "SecretService", "TestSupport"]),
    tests(
      "Vault", ["Basics", "SecureMemory", "YAML", "Vault", "VaultConformance", "CSodium", "TestSupport"],
      resources: [.copy("Golden"), .copy("Terminal")]),
    tests("VaultConformance", ["Basics", "SecureMemory", "Vault", "VaultConformance"]),
    tests("JOSE", ["Basics", "SecureMemory", "HTTPClient", "JOSE", "TestSupport"], resources: [.copy("Peer")]),
    library("HTTPTestSupport", ["Basics", "CLinux"], path: "Tests/HTTPTestSupport"),
    tests("HTTPServer", ["Basics", "HTTPServer", "HTTPTestSupport"]),
    tests("OAuthHTTP", ["Basics", "SecureMemory", "HTTPServer", "OAuthHTTP", "HTTPTestSupport"]),
    tests("WebSocket", ["Basics", "HTTPClient", "HTTPServer", "WebSocket", "TestSupport"], resources: [.copy("Peer")]),
    tests(
      "Replication",
      [
        "Basics", "SecureMemory", "HTTPClient", "WebSocket", "Replication", "GatewayLab", "HTTPTestSupport",
        "TestSupport",
      ],
      resources: [.copy("Peer")]),
    tests("Browser", ["Basics", "SecureMemory", "Browser", "HTTPTestSupport"]),
    tests(
      "Session",
      [
        "Basics", "SecureMemory", "Vault", "StrategyHost", "Session", "GatewayLab", "Replication", "HTTPClient",
        "HTTPTestSupport", "TestSupport",
      ]),
    tests(
      "GatewayLab",
      ["Basics", "SecureMemory", "YAML", "HTTPServer", "WebSocket", "GatewayLab", "HTTPTestSupport", "TestSupport"]),
    tests(
      "IdentityProvider",
      ["Basics", "SecureMemory", "YAML", "JOSE", "GatewayLab", "HTTPTestSupport", "TestSupport"],
      resources: [.copy("Peer")]),
    tests(
      "OIDC", ["Basics", "SecureMemory", "GatewayLab", "TestSupport"], resources: [.copy("Resources")]),
    tests("StrategyWire", ["Basics", "StrategyWire", "TestSupport"]),
    tests("StrategyABI", ["CStrategyABI", "TestSupport"]),
    tests("StrategyKit", ["Basics", "StrategyKit"]),
    tests("StrategyHostProcess", ["Basics", "StrategyWire", "CLinux", "TestSupport"]),
    tests(
      "StrategyHost", ["Basics", "SecureMemory", "HTTPClient", "StrategyHost", "StrategyWire", "TestSupport"],
      resources: [.copy("Resources")]),
    tests(
      "StrategyAuthoring", ["Basics", "SecureMemory", "GatewayLab", "TestSupport"],
      resources: [.copy("Resources")]),
    .executableTarget(
      name: "store-probe", dependencies: ["Basics", "BackendStore", "BackendStoreConformance"],
      path: "Tests/StoreProbe", swiftSettings: strict),
    tests(
      "BackendStore", ["Basics", "BackendStore", "BackendStoreConformance", "CSQLite", "CLinux", "TestSupport"]),
    tests(
      "BackendKeys",
      [
        "Basics", "SecureMemory", "Vault", "JOSE", "BackendStore", "BackendKeys", "MFSResourceServer", "TestSupport",
      ],
      resources: [.copy("Peer")]),
    tests(
      "DeviceAttestation", ["Basics", "SecureMemory", "JOSE", "DeviceAttestation", "TestSupport"],
      resources: [.copy("Resources")]),
    tests(
      "AuthBackend",
      [
        "Basics", "SecureMemory", "HTTPClient", "HTTPServer", "JOSE", "BackendStore", "BackendStoreConformance",
        "BackendKeys", "MFSResourceServer", "DeviceAttestation",
        "AuthBackend", "BackendAdmin", "YAML", "CSQLite", "HTTPTestSupport", "TestSupport",
      ], resources: [.copy("Resources")]),
    tests(
      "AuthDaemon",
      [
        "Basics", "SecureMemory", "HTTPClient", "HTTPServer", "JOSE", "Vault", "BackendStore",
        "BackendStoreConformance",
        "BackendKeys", "AuthBackend", "BackendAdmin", "CSQLite", "CLinux", "MFSResourceServer", "TestSupport",
      ], resources: [.copy("Peer"), .copy("Transcripts")]),
    tests(
      "HTTPClient", ["Basics", "SecureMemory", "HTTPClient", "CCurl", "TestSupport"], resources: [.copy("Resources")]),
  ] + strategyTargets
)
