internal import Basics
internal import SecureMemory

/// A part of the list of what is denied, as `/oauth/denials` answers.
struct DenialPage {
  let denied: [String: Timestamp]
  /// After which id the next part begins; nil when this is the last.
  let next: String?

  /// Reads a body. Throws ``FailureCode/serverRefused`` for any other.
  init(_ body: borrowing SecureBytes) throws(Failure) {
    let bytes = unsafe body.withBytes { unsafe Array($0) }
    guard let value = try? JSONReader.value(bytes, maximumSize: 1 << 22), let members = value["denied"]?.members else {
      throw DenialPage.unreadable
    }
    var denied: [String: Timestamp] = [:]
    denied.reserveCapacity(members.count)
    for member in members {
      guard case .integer(let seconds) = member.value else { throw DenialPage.unreadable }
      denied[member.name] = Timestamp(seconds: seconds)
    }
    self.denied = denied
    next = value["next"]?.string
  }

  private static let unreadable = Failure(
    .serverRefused, "the list of what is denied is none", hint: "is the issuer an mfs-authd?")
}
