internal import CCurl

/// Sets the options of a libcurl handle that every exchange has alike: where it goes, how far it trusts, how long it waits.
@safe struct EasyOptions {
  private let easy: UnsafeMutableRawPointer
  private let origin: HTTPOrigin

  init(easy: UnsafeMutableRawPointer, origin: HTTPOrigin) {
    unsafe self.easy = unsafe easy
    self.origin = origin
  }

  func setConnection(_ client: HTTPClient, _ request: HTTPRequest) throws(HTTPFailure) {
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_URL, request.url.description)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    if case .none = client.proxy { try set(CURLOPT_PROXY, "") }
    try set(CURLOPT_CONNECTTIMEOUT_MS, client.connectTimeout)
    try set(CURLOPT_TIMEOUT_MS, client.limit(of: request))
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let authorities = client.authorities {
      try set(CURLOPT_CAINFO, authorities)
      try unsafe check(ccurl_set_text(easy, CURLOPT_CAPATH, nil))
    }
  }

  func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
    try unsafe check(ccurl_set_long(easy, option, value))
  }

  func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) {
    try unsafe check(ccurl_set_text(easy, option, value))
  }

  func check(_ code: CURLcode) throws(HTTPFailure) {
    guard code == CURLE_OK else { throw HTTPFailure.of(code, detail: "", origin: origin) }
  }
}

extension HTTPClient {
  /// The most milliseconds that a request's whole exchange may take.
  func limit(of request: HTTPRequest) -> Int { max(1, min(request.timeout ?? timeout, timeout)) }
}
