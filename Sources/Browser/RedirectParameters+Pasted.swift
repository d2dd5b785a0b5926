internal import HTTPServer
public import SecureMemory

extension RedirectParameters {
  /// The parameters of an address that a person pasted: the redirect's, with its query or its fragment. Nil when it is
  /// another address.
  public init?(pasted text: borrowing SecureBytes, redirectURI: String) {
    guard let address = text.publicText() else { return nil }
    let trimmed = address.drop { $0.isWhitespace }
    guard trimmed.utf8.starts(with: redirectURI.utf8) else { return nil }
    var rest = trimmed.utf8.dropFirst(redirectURI.utf8.count)
    while let last = rest.last, last <= 0x20 { rest.removeLast() }
    guard let mark = rest.first, mark == 0x3F || mark == 0x23, let query = String(rest.dropFirst()),
      // What follows a query in the address belongs to the page.
      let target = RequestTarget("/?" + query)
    else { return nil }
    self.init(target.query.map { ($0.name, $0.value) })
  }
}
