internal import CommandLine

/// What runs the commands of `mfsctl lab`.
func labHandlers() -> [String: Program.Handler] { ["lab up": labUp, "lab scenario": labScenario] }
