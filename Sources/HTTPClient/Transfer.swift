internal import Basics
internal import CCurl
internal import Glibc
internal import SecureMemory

/// One request on its way: the libcurl handles, what they point at, and what has come back.
@safe final class Transfer {
  private let request: HTTPRequest
  private let client: HTTPClient
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  private var fieldList: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>
  private let watch: UnsafeMutablePointer<ccurl_watch>
  private var inbox: Inbox

  init(
    _ request: HTTPRequest, client: HTTPClient, taker: (any HTTPBodyTaker)? = nil
  ) throws(HTTPFailure) {
    self.request = request
    self.client = client
    inbox = try Inbox.make(client: client, taker: taker)
    guard let easy = unsafe curl_easy_init() else { throw HTTPFailure(.request, "libcurl has no memory") }
    guard let multi = unsafe curl_multi_init() else {
      unsafe curl_easy_cleanup(easy)
      throw HTTPFailure(.request, "libcurl has no memory")
    }
    unsafe self.easy = unsafe easy
    unsafe self.multi = unsafe multi
    unsafe errorText = UnsafeMutablePointer.allocate(capacity: Int(CURL_ERROR_SIZE) + 1)
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE) + 1)
    unsafe watch = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe watch.initialize(to: ccurl_watch())
    try setUp()
  }

  deinit {
    unsafe curl_multi_remove_handle(multi, easy)
    unsafe curl_easy_cleanup(easy)
    unsafe curl_multi_cleanup(multi)
    // The allocator of the shim wipes each copy as it frees it.
    unsafe curl_slist_free_all(fieldList)
    unsafe errorText.deallocate()
    unsafe watch.deallocate()
  }

  func run(cancellation: [Int32]) throws(HTTPFailure) -> HTTPResponse {
    guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
      throw HTTPFailure(.request, "libcurl does not take the request")
    }
    var running: Int32 = 1
    while true {
      guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else {
        throw HTTPFailure(.request, "libcurl cannot go on")
      }
      if running == 0 { break }
      try wait(cancellation)
    }
    var result = CURLE_FAILED_INIT
    guard unsafe ccurl_result(multi, &result) == 1 else { throw HTTPFailure(.request, "libcurl lost the request") }
    let origin = request.url.origin
    if let failure = inbox.failure(origin) { throw failure }
    // What libcurl says when one header line is longer than it takes.
    if result == CURLE_OUT_OF_MEMORY, !inbox.headIsComplete { throw Inbox.tooLarge(origin) }
    guard result == CURLE_OK else {
      if unsafe watch.pointee.is_private != 0 { throw HTTPFailure.notPublic(origin) }
      throw HTTPFailure.of(result, detail: unsafe String(cString: errorText), origin: origin)
    }
    return try inbox.response(status: Int(unsafe ccurl_response_code(easy)), origin: origin)
  }

  private func wait(_ cancellation: [Int32]) throws(HTTPFailure) {
    var extra = cancellation.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0) }
    var ready: Int32 = 0
    let code = unsafe curl_multi_poll(multi, &extra, UInt32(extra.count), 1_000, &ready)
    guard code == CURLM_OK else { throw HTTPFailure(.request, "libcurl cannot wait") }
    if extra.contains(where: { $0.revents != 0 }) {
      throw HTTPFailure(.cancelled, "the request to \(request.url.origin) was cancelled")
    }
  }

  private func setUp() throws(HTTPFailure) {
    try unsafe check(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
    try unsafe check(ccurl_set_watch(easy, watch))
    if client.addresses == .publicOnly { try unsafe check(ccurl_set_public(easy, watch)) }
    try options.setConnection(client, request)
    if let query = request.query { try setURL(with: query) }
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_USERAGENT, client.agent)
    try setMethodAndBody()
    try setFields()
    let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
    try unsafe check(ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context))
    try unsafe check(ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context))
    try unsafe check(ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION, takeHeader))
    try unsafe check(ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION, takeBody))
  }

  private func setURL(with query: SecureBox) throws(HTTPFailure) {
    let url = request.url.description
    let text: SecureBytes
    do throws(Failure) {
      let buffer = try SecureBuffer(limit: 64 << 10)
      var fits = try buffer.append(publicText: url + (url.contains("?") ? "&" : "?"))
      fits = try buffer.append(query.bytes) && fits
      guard fits else { throw Failure(.usage, "the query is too long to be sent") }
      let isClean = unsafe buffer.withBytes { unsafe $0.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 } }
      guard isClean else { throw Failure(.usage, "the query is not encoded") }
      text = try Transfer.terminated(buffer)
    } catch { throw HTTPFailure(.request, error.message) }
    try unsafe text.withBytes { bytes throws(HTTPFailure) in
      guard let place = bytes.baseAddress else { return }
      try unsafe check(ccurl_set_text(easy, CURLOPT_URL, place.assumingMemoryBound(to: CChar.self)))
    }
  }

  private func setMethodAndBody() throws(HTTPFailure) {
    switch request.method {
    case .get where request.body == nil: try set(CURLOPT_HTTPGET, 1)
    case .head: try set(CURLOPT_NOBODY, 1)
    case .delete where request.body == nil: try set(CURLOPT_CUSTOMREQUEST, "DELETE")
    default:
      // The body is lent, not copied; `request` keeps it for as long as the handles live.
      try set(CURLOPT_POST, 1)
      try unsafe check(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body?.bytes.count ?? 0)))
      if let body = request.body {
        let code = unsafe body.bytes.withBytes { bytes in
          unsafe ccurl_set_pointer(easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        try check(code)
      } else {
        try set(CURLOPT_COPYPOSTFIELDS, "")
      }
      try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
  }

  private func setFields() throws(HTTPFailure) {
    // A name and a colon alone take away what libcurl would add by itself.
    var taken: Set<String> = ["expect"]
    if !request.fields.contains(where: { $0.name.lowercased() == "content-type" }) { taken.insert("content-type") }
    for name in taken { try unsafe addLine(name + ":") }
    for field in request.fields { try addField(field) }
    try unsafe check(ccurl_set_list(easy, CURLOPT_HTTPHEADER, fieldList))
  }

  private func addField(_ field: HTTPRequest.Field) throws(HTTPFailure) {
    let line = try field.line()
    // `Name;` is how libcurl is asked for an empty value.
    let isEmpty = line.count == field.name.utf8.count + 2
    let text: SecureBytes
    do throws(Failure) {
      text = isEmpty ? try SecureBytes(publicText: field.name + ";\0") : try Transfer.terminated(line)
    } catch { throw HTTPFailure(.request, error.message) }
    try unsafe text.withBytes { bytes throws(HTTPFailure) in
      guard let text = bytes.baseAddress else { return }
      try unsafe addLine(text.assumingMemoryBound(to: CChar.self))
    }
  }

  private static func terminated(_ buffer: SecureBuffer) throws(Failure) -> SecureBytes {
    let line = try SecureBytes(count: buffer.count + 1)
    unsafe buffer.withBytes { bytes in unsafe line.withMutableBytes { unsafe $0.copyMemory(from: bytes) } }
    return line
  }

  private func addLine(_ text: UnsafePointer<CChar>) throws(HTTPFailure) {
    guard let longer = unsafe curl_slist_append(fieldList, text) else {
      throw HTTPFailure(.request, "libcurl has no memory")
    }
    unsafe fieldList = unsafe longer
  }

  private var options: EasyOptions { unsafe EasyOptions(easy: easy, origin: request.url.origin) }
  private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) { try options.set(option, value) }
  private func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) { try options.set(option, value) }
  private func check(_ code: CURLcode) throws(HTTPFailure) { try options.check(code) }
}
