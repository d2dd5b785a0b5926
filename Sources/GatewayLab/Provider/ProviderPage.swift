internal import HTTPServer
internal import OAuthHTTP

/// The pages that people get from the provider: plain HTML without a script, each field with its label, a problem told
/// before the form.
enum ProviderPage {
  case login(address: String, user: String?, problem: String?)
  case device(code: String, user: String?, problem: String?)
  case confirmLogout(address: String, user: String)
  case note(String, String)
  case problem(String, String)

  private var title: String {
    switch self {
    case .login: "Sign in"
    case .device: "Sign in on a device"
    case .confirmLogout: "Sign out?"
    case .note(let title, _), .problem(let title, _): title
    }
  }

  private var content: String {
    switch self {
    case .login(let address, let user, let problem):
      ProviderPage.form(
        address, problem, ProviderPage.credentials(user),
        [("sign-in", "Sign in"), ("cancel", "Cancel")])
    case .device(let code, let user, let problem):
      ProviderPage.form(
        ProviderEndpoint.device.path, problem,
        ProviderPage.field("user_code", "Code shown on the device", code, "text", "off")
          + (user.map { "<p>You are signed in as \(escapedForHTML($0)).</p>\n" } ?? ProviderPage.credentials(nil)),
        [("allow", "Allow"), ("deny", "Refuse")])
    case .confirmLogout(let address, let user):
      ProviderPage.form(
        address, nil, "<p>You are signed in as \(escapedForHTML(user)).</p>\n", [("sign-out", "Sign out")])
    case .note(_, let text): "<p role=\"status\">\(escapedForHTML(text))</p>"
    case .problem(_, let text): "<p role=\"alert\">\(escapedForHTML(text))</p>"
    }
  }

  private static func credentials(_ user: String?) -> String {
    field("username", "User name", user ?? "", "text", "username")
      + field("password", "Password", "", "password", "current-password")
  }

  private static func field(
    _ name: String, _ label: String, _ value: String, _ type: String, _ completion: String
  ) -> String {
    """
    <p><label for="\(name)">\(label)</label><br>
    <input id="\(name)" name="\(name)" type="\(type)" value="\(escapedForHTML(value))" autocomplete="\(completion)"
     autocapitalize="none" spellcheck="false"></p>

    """
  }

  private static func form(
    _ address: String, _ problem: String?, _ fields: String, _ buttons: [(value: String, label: String)]
  ) -> String {
    (problem.map { "<p role=\"alert\" id=\"problem\">\(escapedForHTML($0))</p>\n" } ?? "")
      + "<form method=\"post\" action=\"\(escapedForHTML(address))\">\n" + fields + "<p>"
      + buttons.map { "<button name=\"action\" value=\"\($0.value)\">\($0.label)</button>" }.joined(separator: " ")
      + "</p>\n</form>"
  }

  var document: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(escapedForHTML(title)) - lab identity provider</title>
    <style>
    :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
    main { max-width: 34rem; margin: 10vh auto 0; padding: 0 1rem; }
    h1 { font-size: 1.5rem; }
    input, button { font: inherit; padding: 0.25rem 0.5rem; }
    </style>
    </head>
    <body>
    <main>
    <h1>\(escapedForHTML(title))</h1>
    \(content)
    </main>
    </body>
    </html>

    """
  }
}

extension ProviderCall {
  /// A page. There is no `form-action` among the policies, because browsers hold it against the redirect that follows a
  /// form too, and that goes to the app.
  func page(_ page: ProviderPage, status: Int) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      ], text: page.document)
  }
}
