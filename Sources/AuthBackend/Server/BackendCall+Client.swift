internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory

extension BackendCall {
  /// The client that a form or its `Authorization: Basic` names. Ours are public, so this is a name and no proof (RFC 6749 2.1);
  /// a client that sends an empty password means the same (oidc-agent does). Throws `invalid_client`.
  func client(_ form: FormFields) throws -> Client {
    try known(try store.client(try clientID(form)))
  }

  /// A client that was looked up. Throws `invalid_client`.
  func known(_ client: Client?) throws(OAuthError) -> Client {
    guard let client, client.isEnabled else { throw unknownClient("there is no such client") }
    return client
  }

  /// More bytes than the id of any client has.
  static let idLimit = 256

  /// The name alone, before anything is looked up.
  func clientID(_ form: FormFields) throws(OAuthError) -> String {
    let id = try namedID(form)
    guard id.utf8.count <= BackendCall.idLimit else { throw unknownClient("there is no such client") }
    return id
  }

  private func namedID(_ form: FormFields) throws(OAuthError) -> String {
    let named = form.text("client_id")
    guard request.headers.first("Authorization") != nil else {
      guard let named else { throw .invalidRequest("client_id is missing") }
      return named
    }
    guard let basic = BasicCredentials(request, anyCase: true), let id = formDecoded(basic.name) else {
      throw unknownClient("the Authorization field is no Basic one with a client's id")
    }
    guard basic.password.bytes.count == 0 else {
      throw unknownClient("this client is public: it has no secret to send")
    }
    guard named == nil || isSame(named ?? "", id) else { throw .invalidRequest("two different clients are named") }
    return id
  }

  private func unknownClient(_ text: String) -> OAuthError {
    let isHeader = request.headers.first("Authorization") != nil
    return OAuthError(
      "invalid_client", text, status: 401, challenge: isHeader ? #"Basic realm="oauth", charset="UTF-8""# : nil)
  }
}
