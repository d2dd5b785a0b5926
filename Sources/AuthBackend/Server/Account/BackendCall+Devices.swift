internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// `/devices`: who is signed in sees which devices are, and removes those that are not to be any more. What is removed is signed out,
  /// and its access tokens are denied at once.
  func devicesPage() throws -> ServerResponse {
    let here = settings.path + Endpoint.devices.rawValue
    return try onPage(SignInPlace(here: here, words: "Sign in to see your devices.")) { session, form in
      guard let form else { return try devicesPage(session, here) }
      guard try isFromOwnPage(form, .devices(session: session.id), here) else {
        return errorPage(403, "This cannot go on", "The form did not come from this server's page. Start again.")
      }
      guard form.text("action") == "remove", let id = form.text("device") else {
        return errorPage(400, "This cannot go on", "The form is not one of this server's.")
      }
      let audit: Auditing<[Family]> = { [self] ended in
        [entry("device.removed", ["user": session.user, "device": id, "address": address])] + entries(ended, .device)
      }
      do throws(Failure) {
        tell(audit(try store.removeDevice(user: session.user, id: id, now: now, denyUntil: denyUntil, audit: audit)))
      } catch {
        guard error.code == .notFound else { throw error }
        return try devicesPage(session, here, problem: "That device was removed already.", status: 404)
      }
      return redirectHere(here)
    }
  }

  private func devicesPage(
    _ session: BrowserSession, _ here: String, problem: String? = nil, status: Int = 200
  ) throws(Failure) -> ServerResponse {
    let devices = try store.devices(user: session.user, limit: 100)
    var page = HTMLPage("Your devices", site: BackendCall.site)
    if let problem { page.warn(problem) }
    page.say(devices.isEmpty ? "No device is signed in." : "A device that you remove is signed out at once.")
    return try withToken(page, status, .devices(session: session.id), here) { page, token in
      let names = DeviceNames(devices)
      for device in devices {
        let name = names[device]
        let platform = device.platform.isEmpty ? "" : " (\(OutsideText.clean(device.platform, limit: 32)))"
        page.list([
          "\(name)\(platform), since \(BackendCall.day(device.firstSeenAt)), last used \(BackendCall.day(device.lastSeenAt))"
        ])
        page.form(
          here, hidden: [("csrf", token), ("device", device.id)], buttons: [.init("remove", "Remove \(name)")])
      }
    }
  }

  private static func day(_ time: Timestamp) -> String { String(time.rfc3339.prefix(10)) }
}
