import Basics
import Testing

@testable import Settings

/// A catalog with one group, `g`, and these further lines.
func catalog(_ text: String) throws -> Catalog {
  try Catalog.parse(Array(("version: 1\ngroups: [{id: g, title: G}]\n" + text).utf8), file: "c.yaml")
}

/// A catalog with one setting, `A`, of this type.
func catalog(type: String) throws -> Catalog {
  try catalog("settings: [{name: A, group: g, summary: s, \(type)}]\n")
}

/// The type of a setting declared with these fields.
func settingType(_ fields: String) throws -> SettingType {
  try #require(try catalog(type: fields).setting("A")).type
}

/// The failure that a catalog's text leads to; nil when it is read.
func refusal(_ text: String) -> Failure? {
  do {
    _ = try catalog(text)
    return nil
  } catch { return error as? Failure }
}

/// What a catalog says against itself.
func complaints(_ text: String) throws -> [String] { try catalog(text).selfCheck().map(\.message) }
