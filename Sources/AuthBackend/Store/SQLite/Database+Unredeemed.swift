internal import Basics

/// What was granted and not redeemed yet, authorization codes and approved device codes, goes with the sign-ins that it would have become:
/// otherwise who holds it signs in after what was to end that. A code is forgotten, so that it is unknown; a device is told that it
/// was refused. What was redeemed stays, so that its replay is seen.
extension Database {
  private static let codes = "DELETE FROM code INDEXED BY code_unredeemed WHERE is_spent = 0"
  private static let approvals =
    "UPDATE device_code INDEXED BY device_code_approved SET state = 'denied' WHERE state = 'approved'"
  private static let ofUser = both("AND user = ?1")
  private static let ofDevice = both("AND user = ?1 AND device = ?2")
  private static let ofClient = both("AND client = ?1")
  private static let ofAll = both("")

  private static func both(_ which: String) -> [Query] { [codes, approvals].map { Query("\($0) \(which)") } }

  func endUnredeemed(_ which: FamilySelection) throws(Failure) {
    switch which {
    // The code that it began with is spent.
    case .id: break
    case .user(let user): for query in Database.ofUser { try run(query, .text(user)) }
    case .device(let user, let device): for query in Database.ofDevice { try run(query, .text(user), .text(device)) }
    }
  }

  func endUnredeemed(_ which: ManyFamilies) throws(Failure) {
    switch which {
    case .client(let client): for query in Database.ofClient { try run(query, .text(client)) }
    case .all: for query in Database.ofAll { try run(query) }
    }
  }
}
