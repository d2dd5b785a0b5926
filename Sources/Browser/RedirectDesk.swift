internal import Basics
internal import CLinux
internal import Glibc
internal import HTTPServer
internal import SecureMemory

/// What a ``RedirectListener`` knows, and how it answers. All that changes is behind one lock.
final class RedirectDesk: @unchecked Sendable {
  static let bodyLimit = 96 << 10

  private struct State {
    var place = ""
    var expected: String?
    var inFragment = false
    var parameters: RedirectParameters?
    var isOver = false
    var stray: RedirectListener.Stray?
    var cover: (path: String, address: SecureBox)?
    var wasFetched = false
  }

  private let path: String
  private let state = Monitor(State())
  /// An event counter that the waiting side polls.
  private let event: FileDescriptor
  var descriptor: Int32 { event.raw }

  init(path: String) throws(Failure) {
    self.path = path
    let number = clinux_eventfd()
    guard number >= 0 else { throw .system("make an event counter") }
    event = FileDescriptor(owning: number)
  }

  func open(at place: String) { state.withLock { $0.place = place } }

  func expect(state expected: String, inFragment: Bool) {
    state.withLock {
      $0.expected = expected
      $0.inFragment = inFragment
    }
  }

  func cover(_ address: SecureBox) throws(Failure) -> String {
    let random = try SecureBytes.random(count: 16)
    let name = unsafe random.withBytes { unsafe Hexadecimal.encode($0) }
    return state.withLock { state in
      state.cover = ("/open/\(name)", address)
      return "http://\(state.place)/open/\(name)"
    }
  }

  var wasFetched: Bool { state.withLock(wake: .nobody) { $0.wasFetched } }

  func takeParameters() -> [(name: String, value: SecureBox)]? {
    state.withLock(wake: .nobody) { state in
      defer { state.parameters = nil }
      return state.parameters?.fields
    }
  }

  func takeStray() -> RedirectListener.Stray? {
    state.withLock(wake: .nobody) { state in
      defer { state.stray = nil }
      return state.stray
    }
  }

  func answer(_ request: ServerRequest) -> ServerResponse {
    let place = state.withLock(wake: .nobody) { $0.place }
    // A name that another site points at this machine is not ours (DNS rebinding).
    guard request.headers.all("Host") == [place] else { return .page(.stranger, status: 421) }
    if request.method == "GET", request.target.path.hasPrefix("/open/") { return follow(request.target.path) }
    guard request.target.path == path else { return .page(.nothingHere, status: 404) }
    switch request.method {
    case "GET": return redirected(request)
    case "POST": return handedOver(request, place)
    default: return .page(.nothingHere, status: 405)
    }
  }

  /// Takes note of a request that could not be read; nil for one whose target was too long, so that nobody knows what it
  /// was for.
  func refused(target: String?) {
    if let target, !target.utf8.prefix(while: { $0 != 0x3F }).elementsEqual(path.utf8) { return }
    strayed(.unreadable)
  }

  private func follow(_ path: String) -> ServerResponse {
    let address = state.withLock { state -> SecureBox? in
      guard let cover = state.cover, cover.path.utf8.elementsEqual(path.utf8) else { return nil }
      state.cover = nil
      state.wasFetched = true
      return cover.address
    }
    guard let address = address?.bytes.publicText() else { return .page(.over, status: 410) }
    signal()
    var response = ServerResponse.page(.leaving, status: 303)
    response.headers.add("Location", address)
    return response
  }

  private func redirected(_ request: ServerRequest) -> ServerResponse {
    let inFragment = state.withLock(wake: .nobody) { $0.inFragment }
    let query = request.target.query
    if inFragment, query.isEmpty { return .fragmentPage() }
    return take(RedirectParameters(query.map { ($0.name, $0.value) }))
  }

  // What the page of ours reads from the fragment. Another site's page cannot send this: it has another origin.
  private func handedOver(_ request: ServerRequest, _ place: String) -> ServerResponse {
    let isOurs =
      request.headers.all("Origin") == ["http://\(place)"]
      && ["same-origin", nil].contains(request.headers.first("Sec-Fetch-Site"))
      && state.withLock(wake: .nobody) { $0.inFragment }
    guard isOurs else { return .page(.stranger, status: 403) }
    guard let query = unsafe request.body.withBytes({ unsafe String(validating: $0, as: UTF8.self) }),
      let target = RequestTarget("/?" + query)
    else { return take(nil) }
    return take(RedirectParameters(target.query.map { ($0.name, $0.value) }))
  }

  private func take(_ parameters: RedirectParameters?) -> ServerResponse {
    guard let parameters else {
      strayed(.unreadable)
      return .page(.stranger, status: 400)
    }
    let page = state.withLock { state -> ResultPage in
      guard !state.isOver else { return .over }
      guard let expected = state.expected, parameters.hasState(expected) else {
        if !parameters.fields.isEmpty { state.stray = parameters.isError ? .refusal : .answer }
        return .stranger
      }
      state.isOver = true
      state.parameters = parameters
      return parameters.isError ? .refused : .done
    }
    if page != .over { signal() }
    return .page(page, status: page == .stranger ? 400 : page == .over ? 410 : 200)
  }

  private func strayed(_ stray: RedirectListener.Stray) {
    let counts = state.withLock { state -> Bool in
      guard !state.isOver else { return false }
      state.stray = stray
      return true
    }
    if counts { signal() }
  }

  private func signal() {
    var one: UInt64 = 1
    _ = unsafe write(event.raw, &one, 8)
  }
}
