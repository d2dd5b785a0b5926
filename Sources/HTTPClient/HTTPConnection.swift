public import Basics
internal import CCurl
internal import Glibc

/// A connection to a server that libcurl has made, with TLS where the URL asks for it, and on which something else than
/// libcurl's HTTP is spoken (`CURLOPT_CONNECT_ONLY`). One thread uses it; it ends with this value.
@safe public final class HTTPConnection {
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private let watch: UnsafeMutablePointer<ccurl_watch>
  private let socket: Int32
  let origin: HTTPOrigin
  /// What came behind the head of the answer.
  var early: [UInt8] = []
  /// How the last read or write failed; nil when it did not, or the server just hung up.
  public private(set) var failure: HTTPFailure?

  init(_ request: HTTPRequest, client: HTTPClient, cancellation: [Int32]) throws(HTTPFailure) {
    guard let easy = unsafe curl_easy_init() else { throw HTTPFailure(.request, "libcurl has no memory") }
    guard let multi = unsafe curl_multi_init() else {
      unsafe curl_easy_cleanup(easy)
      throw HTTPFailure(.request, "libcurl has no memory")
    }
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE) + 1)
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE) + 1)
    let watch = UnsafeMutablePointer<ccurl_watch>.allocate(capacity: 1)
    unsafe watch.initialize(to: ccurl_watch())
    origin = request.url.origin
    do throws(HTTPFailure) {
      let options = unsafe EasyOptions(easy: easy, origin: request.url.origin)
      try unsafe options.check(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
      try unsafe options.check(ccurl_set_watch(easy, watch))
      if client.addresses == .publicOnly { try unsafe options.check(ccurl_set_public(easy, watch)) }
      try options.setConnection(client, request)
      try options.set(CURLOPT_CONNECT_ONLY, 1)
      // Through a proxy, a tunnel: what is spoken after the upgrade is not HTTP.
      try options.set(CURLOPT_HTTPPROXYTUNNEL, 1)
      try unsafe HTTPConnection.connect(easy, multi, errorText, origin, cancellation)
      socket = unsafe ccurl_socket(easy)
      guard socket >= 0 else { throw HTTPFailure(.network, "cannot reach \(origin): there is no connection") }
    } catch {
      let isPrivate = unsafe watch.pointee.is_private != 0
      unsafe HTTPConnection.clean(easy, multi, errorText, watch)
      throw isPrivate ? HTTPFailure.notPublic(origin) : error
    }
    unsafe self.easy = unsafe easy
    unsafe self.multi = unsafe multi
    unsafe self.errorText = unsafe errorText
    unsafe self.watch = unsafe watch
  }

  deinit {
    // Closing says goodbye in TLS, to a server that may have hung up.
    let guarded = BrokenPipeGuard()
    unsafe HTTPConnection.clean(easy, multi, errorText, watch)
    guarded.end()
  }

  private static func clean(
    _ easy: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer, _ errorText: UnsafeMutablePointer<CChar>,
    _ watch: UnsafeMutablePointer<ccurl_watch>
  ) {
    unsafe curl_multi_remove_handle(multi, easy)
    unsafe curl_easy_cleanup(easy)
    unsafe curl_multi_cleanup(multi)
    unsafe errorText.deallocate()
    unsafe watch.deallocate()
  }

  private static func connect(
    _ easy: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer, _ errorText: UnsafeMutablePointer<CChar>,
    _ origin: HTTPOrigin, _ cancellation: [Int32]
  ) throws(HTTPFailure) {
    guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
      throw HTTPFailure(.request, "libcurl does not take the request")
    }
    var result = CURLE_FAILED_INIT
    while true {
      var running: Int32 = 0
      guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else {
        throw HTTPFailure(.request, "libcurl cannot go on")
      }
      if unsafe ccurl_result(multi, &result) == 1 { break }
      guard running > 0 else { throw HTTPFailure(.request, "libcurl lost the request") }
      var extra = cancellation.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0) }
      var ready: Int32 = 0
      guard unsafe curl_multi_poll(multi, &extra, UInt32(extra.count), 1_000, &ready) == CURLM_OK else {
        throw HTTPFailure(.request, "libcurl cannot wait")
      }
      if extra.contains(where: { $0.revents != 0 }) { throw cancelled(origin) }
    }
    guard result == CURLE_OK else {
      throw HTTPFailure.of(
        result, detail: unsafe String(cString: errorText), origin: origin,
        systemError: unsafe ccurl_system_error(easy), verification: unsafe ccurl_verify_result(easy))
    }
  }

  static func cancelled(_ origin: HTTPOrigin) -> HTTPFailure {
    HTTPFailure(.cancelled, "the request to \(origin) was cancelled")
  }

  /// Waits for bytes and gives what came: nothing at the end or when the connection broke (``failure`` says so), nil when the
  /// deadline passed or one of the open descriptors `wake` can be read.
  public func read(until deadline: MonotonicInstant, wake: [Int32] = []) -> [UInt8]? {
    if !early.isEmpty {
      defer { early = [] }
      return early
    }
    let guarded = BrokenPipeGuard()
    defer { guarded.end() }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      var count = 0
      // First, since what TLS has already read is not seen by poll(2).
      let code = unsafe curl_easy_recv(easy, &buffer, buffer.count, &count)
      if code == CURLE_OK { return Array(buffer.prefix(count)) }
      guard code == CURLE_AGAIN else {
        failure = failure(code)
        return []
      }
      guard wait(for: Int16(POLLIN), until: deadline, wake: wake) else { return nil }
    }
  }

  /// Sends all bytes; false when the server has gone (``failure`` says why) or does not take them by the deadline.
  public func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe write($0, until: deadline) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, until deadline: MonotonicInstant) -> Bool {
    let guarded = BrokenPipeGuard()
    defer { guarded.end() }
    var done = 0
    while done < bytes.count {
      var count = 0
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let code = unsafe curl_easy_send(easy, rest.baseAddress, rest.count, &count)
      done += count
      if code == CURLE_OK { continue }
      guard code == CURLE_AGAIN else {
        failure = failure(code)
        return false
      }
      guard wait(for: Int16(POLLOUT), until: deadline, wake: []) else { return false }
    }
    return true
  }

  private func failure(_ code: CURLcode) -> HTTPFailure {
    // The error of the socket itself: what libcurl remembers may be that of the connect.
    var number: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    if unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) != 0 || number == 0 {
      number = Int32(clamping: unsafe ccurl_system_error(easy))
    }
    return HTTPFailure.of(
      code, detail: unsafe String(cString: errorText), origin: origin, systemError: Int(number))
  }

  // Whether it is worth trying again.
  private func wait(for events: Int16, until deadline: MonotonicInstant, wake: [Int32]) -> Bool {
    var entries = [pollfd(fd: socket, events: events, revents: 0)]
    entries += wake.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let ready = unsafe poll(&entries, nfds_t(entries.count), deadline.millisecondsLeft)
      if ready < 0, errno == EINTR { continue }
      return ready > 0 && !entries.dropFirst().contains { $0.revents != 0 }
    }
  }
}
