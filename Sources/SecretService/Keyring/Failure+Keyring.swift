internal import Basics
internal import CSecret

extension FailureCode {
  /// The item of a call is gone. It does not leave this module.
  static let noSuchItem = FailureCode("vault.no-such-item", .notFound)
}

extension Failure {
  /// What a call to the Secret Service failed with. The D-Bus error's name is part of the text, since the name is what
  /// can be searched for; the text differs by provider and language.
  init(keyring error: UnsafeMutablePointer<GError>, doing: String, writing: Bool, expiredAfter limit: Int32?) {
    let text = unsafe error.pointee.message.map { unsafe OutsideText.clean(String(cString: $0)) } ?? "no text"
    let domain = unsafe error.pointee.domain, code = unsafe error.pointee.code
    if let limit {
      self = Failure(
        .vaultBackendUnavailable,
        "cannot \(doing): no answer within \(Double(limit) / 1000) s (org.freedesktop.DBus.Error.NoReply)",
        hint: "is the keyring waiting for a prompt or stopped? look with 'busctl --user status org.freedesktop.secrets'"
      )
      return
    }
    if domain == secret_error_get_quark() {
      switch UInt32(bitPattern: code) {
      case SECRET_ERROR_IS_LOCKED.rawValue:
        self = .keyringLocked()
        return
      case SECRET_ERROR_NO_SUCH_OBJECT.rawValue:
        self = Failure(.noSuchItem, "cannot \(doing): \(text)")
        return
      default: break
      }
    }
    let name = unsafe GLib.take(g_dbus_error_encode_gerror(error)) ?? "no name"
    if name == "org.freedesktop.DBus.Error.UnknownMethod" || name == "org.freedesktop.DBus.Error.UnknownObject" {
      self = Failure(.noSuchItem, "cannot \(doing): \(text) (\(name))")
    } else if name == "org.freedesktop.DBus.Error.ServiceUnknown" {
      self = Failure(
        .vaultBackendUnavailable, "cannot \(doing): nothing on the session bus keeps secrets (\(name))",
        hint: "install a keyring such as gnome-keyring, and start and unlock it: 'gnome-keyring-daemon --unlock'")
    } else if writing, domain == g_dbus_error_quark() || domain == secret_error_get_quark() {
      // The provider answered, and refused: its disk may be full.
      self = Failure(.inputOutput, "cannot \(doing): \(text) (\(name))", hint: "is the disk of the keyring full?")
    } else {
      // An error of the transport has no name on the bus; libdbus calls it this one.
      let shown = name.hasPrefix("org.gtk.GDBus.UnmappedGError") ? "org.freedesktop.DBus.Error.NoServer" : name
      self = Failure(
        .vaultBackendUnavailable, "cannot \(doing): \(text) (\(shown))",
        hint: "see what answers with 'busctl --user status org.freedesktop.secrets'")
    }
  }

  /// Whether a call ended because nobody answered in time.
  static func isTimeout(_ error: UnsafeMutablePointer<GError>) -> Bool {
    let code = unsafe error.pointee.code
    switch unsafe error.pointee.domain {
    case g_io_error_quark(): return code == G_IO_ERROR_TIMED_OUT.rawValue
    case g_dbus_error_quark():
      return code == G_DBUS_ERROR_NO_REPLY.rawValue || code == G_DBUS_ERROR_TIMEOUT.rawValue
        || code == G_DBUS_ERROR_TIMED_OUT.rawValue
    default: return false
    }
  }

  /// The keyring is there and locked.
  static func keyringLocked() -> Failure {
    Failure(
      .vaultLocked, "the keyring is locked",
      hint: "unlock it where you sign in, pass --allow-prompt, or on a machine without a desktop give its password to "
        + "'gnome-keyring-daemon --unlock' on standard input")
  }
}
