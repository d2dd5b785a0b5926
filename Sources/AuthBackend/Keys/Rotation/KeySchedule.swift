internal import Basics

/// When keys of one purpose are made, used and removed. All in seconds.
struct KeySchedule: Sendable {
  /// For how long a key is used before the next one is.
  let rotation: Int64
  /// How long before its first use a key is there for all to see.
  let lead: Int64
  /// How long a key is kept when nothing new is made with it any more.
  let keep: Int64
  /// How old a view of the store may be that is used. Other processes make keys too: theirs have to be seen before they are used.
  let reread: Int64

  /// Throws ``FailureCode/configuration`` for times that do not go together.
  init(rotation: Int64, lead: Int64, keep: Int64, reread: Int64) throws(Failure) {
    guard reread > 0, lead > reread, keep >= 0, rotation > lead, rotation <= KeySchedule.longest,
      keep <= KeySchedule.longest
    else {
      throw Failure(
        .configuration,
        "keys that are used for \(rotation) s cannot be published \(lead) s ahead and kept for \(keep) s",
        hint: "a key's time of use is longer than its time of publication, and none of the times is above 10 years")
    }
    (self.rotation, self.lead, self.keep, self.reread) = (rotation, lead, keep, reread)
  }

  private static let longest: Int64 = 3_650 * 86_400
}
