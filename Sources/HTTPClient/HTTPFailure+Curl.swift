internal import Basics
internal import CCurl

extension HTTPFailure {
  /// None of a host's addresses is one that may be connected to.
  static func notPublic(_ origin: HTTPOrigin) -> HTTPFailure {
    HTTPFailure(.request, "\(origin) is not connected to: its address is not one of the public internet")
  }

  /// What a result of libcurl means. `detail` is the text of its error buffer.
  /// `systemError` is the `errno` behind it, `verification` OpenSSL's result for the certificate; 0 when there is none.
  static func of(
    _ code: CURLcode, detail: String, origin: HTTPOrigin, systemError: Int = 0, verification: Int = 0
  ) -> HTTPFailure {
    if isPlain(code, detail: detail) {
      return HTTPFailure(
        .trust, "cannot speak TLS with \(origin): the server does not speak TLS there", cause: .withoutTLS)
    }
    let text = detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
    let kind = kind(of: code, detail: detail)
    return HTTPFailure(
      kind, "\(phrase(kind)) \(origin): \(OutsideText.clean(text, limit: 200))",
      cause: cause(of: code, detail: detail, systemError: systemError, verification: verification))
  }

  private static func cause(of code: CURLcode, detail: String, systemError: Int, verification: Int) -> Cause? {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .nameNotFound
    case _ where systemError > 0 && isOfTheSocket(code): .system(Int32(clamping: systemError))
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .closed
    case CURLE_SSL_CONNECT_ERROR: .handshake
    case CURLE_PEER_FAILED_VERIFICATION:
      // The numbers are OpenSSL's X509_V_ERR_*; that the name differs is libcurl's own finding, which leaves its 1 for
      // "not verified yet" in place.
      switch verification {
      case 9, 10: .certificateExpired
      case 18, 19, 20, 21: .authorityUnknown
      case 23: .certificateRevoked
      case 62, 64: .certificateForAnotherHost
      case 0...1 where detail.contains("subject") || detail.contains("does not match"): .certificateForAnotherHost
      default: .certificateRefused
      }
    default: nil
    }
  }

  // What OpenSSL calls an answer to its hello that is no TLS record. The first two bytes of "HTTP/1.1 400" stand where a
  // record has its version, or its length where the version is not looked at first.
  private static func isPlain(_ code: CURLcode, detail: String) -> Bool {
    code == CURLE_SSL_CONNECT_ERROR
      && ["wrong version number", "packet length too long", "http request"].contains { detail.contains($0) }
  }

  private static func isOfTheSocket(_ code: CURLcode) -> Bool {
    [CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SSL_CONNECT_ERROR].contains(code)
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
