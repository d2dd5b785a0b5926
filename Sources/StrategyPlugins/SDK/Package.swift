// swift-tools-version: 6.2
import PackageDescription

// The sources that a strategy plugin in Swift is built with. It is installed beside mfsctl; a plugin names the folder as a
// dependency by path. Everything is linked into the plugin, and nothing but the toolchain is needed.

// Without the imports of Concurrency and StringProcessing that a module has unasked: a plugin's process would load both.
let lean: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags([
    "-Xfrontend", "-disable-implicit-concurrency-module-import",
    "-Xfrontend", "-disable-implicit-string-processing-module-import",
  ]),
]

let package = Package(
  name: "mfs-strategy-sdk",
  products: [
    .library(name: "StrategyKit", targets: ["StrategyKit", "CStrategyABI"]),
    // OpenID Connect on top of it, as the toolkit's own strategies use it.
    .library(name: "StrategyOIDC", targets: ["StrategyOIDC"]),
  ],
  targets: [
    .target(name: "CLinux"),
    .target(name: "CStrategyABI"),
    .target(name: "Basics", dependencies: ["CLinux"], swiftSettings: lean),
    .target(name: "StrategyWire", dependencies: ["Basics"], swiftSettings: lean),
    .target(
      name: "StrategyBridge", dependencies: ["Basics", "CStrategyABI", "StrategyWire"], swiftSettings: lean),
    .target(
      name: "StrategyKit", dependencies: ["Basics", "CStrategyABI", "StrategyWire", "StrategyBridge"],
      swiftSettings: lean),
    .target(name: "StrategyOIDC", dependencies: ["Basics", "StrategyKit"], swiftSettings: lean),
  ])
