import Foundation

/// Whether a file has these bytes anywhere; false when it is not there.
func contains(_ path: String, _ text: String) throws -> Bool {
  guard FileManager.default.fileExists(atPath: path) else { return false }
  return try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
}
