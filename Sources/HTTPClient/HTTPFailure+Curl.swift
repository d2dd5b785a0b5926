internal import Basics
internal import CCurl

extension HTTPFailure {
  /// What a result of libcurl means. `detail` is the text of its error buffer.
  static func of(_ code: CURLcode, detail: String, origin: HTTPOrigin) -> HTTPFailure {
    let text = detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
    let kind = kind(of: code, detail: detail)
    return HTTPFailure(kind, "\(phrase(kind)) \(origin): \(OutsideText.clean(text, limit: 200))")
  }

  private static func phrase(_ kind: Kind) -> String {
    switch kind {
    case .network, .timeout, .cancelled: "cannot reach"
    case .trust: "cannot trust"
    case .protocolViolation, .tooLarge: "cannot understand the answer of"
    case .request: "cannot send a request to"
    }
  }

  private static func kind(of code: CURLcode, detail: String) -> Kind {
    switch code {
    case CURLE_RECV_ERROR where detail.contains("chunked"): .protocolViolation
    case CURLE_OPERATION_TIMEDOUT: .timeout
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR,
      CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_INTERFACE_FAILED, CURLE_PROXY:
      .network
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_USE_SSL_FAILED:
      .trust
    // A handshake fails in two ways: the other side said no or is not TLS, or the connection was lost in the middle.
    case CURLE_SSL_CONNECT_ERROR:
      ["SYSCALL", "reset", "unexpected eof"].contains { detail.contains($0) } ? .network : .trust
    case CURLE_ABORTED_BY_CALLBACK: .cancelled
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_URL_MALFORMAT,
      CURLE_BAD_FUNCTION_ARGUMENT:
      .request
    default: .protocolViolation
    }
  }
}
