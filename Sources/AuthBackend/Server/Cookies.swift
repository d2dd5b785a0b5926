internal import HTTPServer
internal import OAuthHTTP

/// The backend's cookies (RFC 6265): none is readable by scripts, all are for this host alone where there is TLS.
enum Cookie: String {
  /// The browser's session.
  case session = "mfs-session"
  /// What a page's form must show to have been on a page of ours.
  case page = "mfs-page"
  /// That somebody signed in on this browser before.
  case known = "mfs-known"

  func name(isSecure: Bool) -> String { isSecure ? "__Host-" + rawValue : rawValue }

  /// The value of a field `Set-Cookie`; with `seconds` nil it lasts as long as the browser runs, with 0 it is removed.
  func header(_ value: String, seconds: Int64?, isSecure: Bool) -> String {
    name(isSecure: isSecure) + "=" + value + "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
      + (seconds.map { "; Max-Age=\($0)" } ?? "")
  }
}

extension BackendCall {
  func cookie(_ cookie: Cookie) -> String? {
    RequestCookies(request).first(cookie.name(isSecure: settings.isSecure))
  }
}
