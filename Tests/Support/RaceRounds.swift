import Foundation

/// How often a test runs a race: as often as it usually does, or `MFS_RACE_ROUNDS` times, which `scripts/soak` asks for.
public func raceRounds(_ usual: Int) -> Int {
  ProcessInfo.processInfo.environment["MFS_RACE_ROUNDS"].flatMap { Int($0) } ?? usual
}
