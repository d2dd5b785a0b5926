import BackendStore
import Basics

extension AuthStore {
  /// All that is denied at a moment.
  func denied(now: Timestamp) throws(Failure) -> [String: Timestamp] {
    Dictionary(try denied(now: now, after: "", limit: 1_000).map { ($0.id, $0.until) }) { max($0, $1) }
  }
}
