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

func library(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", swiftSettings: strict)
}

func executable(_ name: String, _ dependencies: [Target.Dependency], link: [LinkerSetting] = []) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: strict, linkerSettings: link)
}

// Tests are held to warnings as errors too, but may use Foundation and its pointers freely.
let testing: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests", resources: resources,
    swiftSettings: testing)
}

/// Leaves out the parts of the Swift runtime that are linked by default and not used: each costs start-up time.
let asNeeded: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "--as-needed"])]

/// A login strategy: one dynamic library, `libmfs-strategy-NAME.so`.
let strategyNames = ["Basic", "Demo"]
let strategyProducts: [Product] = strategyNames.map {
  .library(name: "mfs-strategy-\($0.lowercased())", type: .dynamic, targets: ["\($0)Strategy"])
}
let strategyTargets: [Target] = strategyNames.map {
  .target(
    name: "\($0)Strategy", dependencies: ["Basics", "CStrategyABI", "StrategyKit"],
    path: "Sources/StrategyPlugins/\($0)", exclude: ["mfs-strategy-\($0.lowercased()).yaml"], swiftSettings: strict,
    linkerSettings: asNeeded)
}

let package = Package(
  name: "mfsctl",
  products: [
    .executable(name: "mfsctl", targets: ["mfsctl"]),
    .executable(name: "mfsctl-full", targets: ["mfsctl-full"]),
    .executable(name: "mfs-strategy-host", targets: ["mfs-strategy-host"]),
    .library(name: "StrategyKit", targets: ["StrategyKit"]),
  ] + strategyProducts,
  targets: [
    // One system library each.
    system("CSodium", "libsodium", "libsodium-dev"),
    system("CYAML", "yaml-0.1", "libyaml-dev"),
    system("CSecret", "libsecret-1", "libsecret-1-dev"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev"),
    system("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
    system("CSeccomp", "libseccomp", "libseccomp-dev"),
    .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),
    .target(name: "CSandbox", path: "Sources/CLibraries/CSandbox"),
    .target(name: "CBuildInfo", path: "Sources/CLibraries/CBuildInfo"),

    // Small, shared, know nothing above.
    library("Basics", ["CLinux"]),
    library("SecureMemory", ["Basics", "CSodium", "CLinux"]),
    library("CommandLine", ["Basics"]),
    library("YAML", ["Basics", "CYAML"]),
    library("HTTPClient", ["Basics", "SecureMemory", "CCurl"]),
    library("HTTPServer", ["Basics", "CMicroHTTPD"]),

    // What the project exists for.
    library("Settings", ["Basics", "YAML"]),
    library("Vault", ["Basics", "SecureMemory", "YAML", "CSodium", "CLinux"]),
    library("SecretService", ["Basics", "SecureMemory", "Vault", "CSecret"]),
    library("VaultConformance", ["Basics", "SecureMemory", "Vault"]),
    .target(name: "CStrategyABI", path: "Sources/StrategyPlugins/ABI"),
    library("StrategyWire", ["Basics"], path: "Sources/StrategyPlugins/Wire"),
    library("StrategyBridge", ["Basics", "CStrategyABI", "StrategyWire"], path: "Sources/StrategyPlugins/Bridge"),
    library(
      "StrategyKit", ["Basics", "CStrategyABI", "StrategyWire", "StrategyBridge"], path: "Sources/StrategyPlugins/Kit"),
    library("StrategyHost", ["Basics", "SecureMemory", "YAML", "HTTPClient", "StrategyWire", "CSodium", "CLinux"]),
    library("Session", ["Basics", "SecureMemory", "Vault", "StrategyHost"]),
    library("GatewayLab", ["Basics", "HTTPServer", "CSodium"]),

    // Parse, call, print.
    library("mfsctlCommands", ["Basics", "CBuildInfo", "SecureMemory", "CommandLine", "YAML", "Settings", "Vault"]),
    // Linked statically: it starts in about the time of a C program (docs/ARCHITECTURE.md has the figures).
    executable("mfsctl", ["Basics", "CommandLine", "mfsctlCommands"], link: [.unsafeFlags(["-static-executable"])]),
    executable(
      "mfsctl-full",
      [
        "Basics", "SecureMemory", "CommandLine", "Settings", "Vault", "SecretService", "StrategyHost", "Session",
        "GatewayLab", "mfsctlCommands",
      ]),
    executable(
      "mfs-strategy-host",
      ["Basics", "CStrategyABI", "StrategyWire", "StrategyBridge", "CSeccomp", "CLinux", "CSandbox"], link: asNeeded),

    // No test target depends on an executable: the linker flags of the static one would reach the test runner.
    .target(name: "TestSupport", path: "Tests/Support", swiftSettings: testing),
    tests("Transcript", ["TestSupport"]),
    tests("Basics", ["Basics"]),
    tests("SecureMemory", ["Basics", "SecureMemory"]),
    tests("CommandLine", ["Basics", "CommandLine"]),
    tests("StrategyWire", ["Basics", "StrategyWire"]),
    tests("StrategyABI", ["CStrategyABI", "TestSupport"]),
    tests("StrategyKit", ["Basics", "StrategyKit"]),
    tests("StrategyHostProcess", ["Basics", "StrategyWire", "CLinux", "TestSupport"]),
    tests("YAML", ["Basics", "YAML"]),
    tests("Catalog", ["Basics", "YAML", "Settings", "TestSupport"]),
  ] + strategyTargets
)
