internal import HTTPServer
internal import OAuthHTTP

/// The pages that people get from the provider.
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

  private static func credentials(_ user: String?) -> [HTMLPage.Field] {
    [
      HTMLPage.Field("username", "User name", value: user ?? "", completion: "username"),
      HTMLPage.Field("password", "Password", type: "password", completion: "current-password"),
    ]
  }

  var page: HTMLPage {
    var page = HTMLPage(title, site: "lab identity provider")
    switch self {
    case .login(let address, let user, let problem):
      if let problem { page.warn(problem) }
      page.form(
        address, fields: ProviderPage.credentials(user),
        buttons: [.init("sign-in", "Sign in"), .init("cancel", "Cancel")])
    case .device(let code, let user, let problem):
      if let problem { page.warn(problem) }
      if let user { page.say("You are signed in as \(user).") }
      page.form(
        ProviderEndpoint.device.path,
        fields: [.init("user_code", "Code shown on the device", value: code)]
          + (user == nil ? ProviderPage.credentials(nil) : []),
        buttons: [.init("allow", "Allow"), .init("deny", "Refuse")])
    case .confirmLogout(let address, let user):
      page.say("You are signed in as \(user).")
      page.form(address, buttons: [.init("sign-out", "Sign out")])
    case .note(_, let text): page.say(text)
    case .problem(_, let text): page.warn(text)
    }
    return page
  }
}

extension ProviderCall {
  func page(_ page: ProviderPage, status: Int) -> ServerResponse { page.page.response(status: status) }
}
