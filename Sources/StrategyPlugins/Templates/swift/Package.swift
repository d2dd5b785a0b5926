// swift-tools-version: 6.2
import PackageDescription

/// Where mfsctl's SDK is installed.
let sdk = Context.environment["MFS_STRATEGY_SDK"] ?? "/usr/local/share/mfsctl/mfs-strategy-sdk"

let package = Package(
  name: "mystrategy",
  products: [.library(name: "mfs-strategy-mystrategy", type: .dynamic, targets: ["Plugin"])],
  dependencies: [.package(path: sdk)],
  targets: [
    .target(
      name: "Plugin", dependencies: [.product(name: "StrategyKit", package: "mfs-strategy-sdk")],
      swiftSettings: [
        // Two parts of the runtime that a plugin has no use for, and that would be loaded at each start.
        .unsafeFlags([
          "-Xfrontend", "-disable-implicit-concurrency-module-import",
          "-Xfrontend", "-disable-implicit-string-processing-module-import",
        ])
      ],
      // The Swift runtime stands beside the host, not where this toolchain has it. Only the entry function is exported, and no
      // symbols are kept: each run copies and digests the whole library.
      linkerSettings: [
        .unsafeFlags([
          "-no-toolchain-stdlib-rpath", "-Xlinker", "-s", "-Xlinker", "--version-script=\(sdk)/exports.map",
        ])
      ])
  ])
