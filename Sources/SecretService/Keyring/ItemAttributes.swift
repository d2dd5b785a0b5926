internal import Basics
internal import CSecret

/// The attributes of an item of ours. Providers keep attributes readable, so nothing of them is secret; and an item
/// written with fewer of them replaces one that has more, so an item always gets the full set:
/// `xdg:schema=org.mfs.vault.Item`, `service=mfsctl`, `profile`, `key`, `v=1`.
struct ItemAttributes {
  let profile: ProfileName

  /// The keys of the two items that hold no value of a user: `@` stands in no key name, so neither can clash with one.
  static let metadataKey = "@vault"
  /// The item that holds a change in progress.
  static let journalKey = "@pending"

  /// The full set, for an item that is written.
  func full(key: String) -> StringTable {
    let table = wanted(key: key)
    unsafe mfs_strings_set(table.raw, "xdg:schema", "org.mfs.vault.Item")
    return table
  }

  /// What to search for: one key's items or all of the profile's. Not the schema, which gnome-keyring cannot find in a
  /// locked collection: a locked vault would look like none.
  func wanted(key: String?) -> StringTable {
    let table = unsafe StringTable(owning: mfs_strings_new())
    unsafe mfs_strings_set(table.raw, "service", "mfsctl")
    unsafe mfs_strings_set(table.raw, "profile", profile.text)
    unsafe mfs_strings_set(table.raw, "v", "1")
    if let key { unsafe mfs_strings_set(table.raw, "key", key) }
    return table
  }

  /// What a keyring's own window shows.
  func label(key: String) -> String { "mfsctl \(profile) \(key)" }

  /// A command that removes an item, or all of the profile's, by other means than ours.
  func clearCommand(key: String? = nil) -> String {
    "secret-tool clear service mfsctl profile \(profile)" + (key.map { " key '\(OutsideText.clean($0))'" } ?? "")
  }
}
