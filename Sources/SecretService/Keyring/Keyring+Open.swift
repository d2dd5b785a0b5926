internal import Basics
internal import CSecret
internal import CSecretLoader
internal import Glibc

extension Keyring {
  /// Connects to the keyring of this session, whose collection must exist. Without `options.allowPrompt` it neither
  /// unlocks nor prompts: a locked keyring is ``FailureCode/vaultLocked``. Everything that keeps it from answering is
  /// ``FailureCode/vaultBackendUnavailable``.
  static func open(_ attributes: ItemAttributes, _ options: SecretServiceVault.Options) throws(Failure) -> Keyring {
    let keyring = try connect(attributes, options)
    if try keyring.isLocked() {
      guard options.allowPrompt else { throw .keyringLocked() }
      try keyring.unlock(within: options.promptMilliseconds)
    }
    return keyring
  }

  /// The same without a look at the lock.
  static func connect(_ attributes: ItemAttributes, _ options: SecretServiceVault.Options) throws(Failure) -> Keyring {
    // libsecret can put a file of its own in place of the Secret Service; that file loses values. Never.
    unsafe setenv("SECRET_BACKEND", "service", 1)
    try loadLibrary()
    try requireBusAddress(.current())
    let deadline = Deadline(), timeout = options.timeoutMilliseconds
    let bus = try unsafe connectToBus(timeout, deadline)
    // GLib's default is to kill the process when the bus goes away.
    unsafe g_dbus_connection_set_exit_on_close(bus, gboolean(0))
    var handedOver = false
    defer { if !handedOver { unsafe g_object_unref(UnsafeMutableRawPointer(bus)) } }
    let collection = try unsafe GLib.call("ask for the default keyring", within: timeout, deadline) {
      cancellable, error in
      unsafe GLib.take(mfs_read_alias(bus, "default", timeout, cancellable, &error))
    }
    guard let collection, collection != "/" else { throw noDefaultKeyring() }
    let service = try unsafe GLib.call("open a session with the keyring", within: timeout, deadline) {
      cancellable, error in
      unsafe secret_service_open_sync(
        secret_service_get_type(), nil, SECRET_SERVICE_OPEN_SESSION, cancellable, &error)
    }
    guard let service = unsafe service else { throw Failure(.bug, "libsecret gave neither a session nor an error") }
    handedOver = true
    return unsafe Keyring(
      attributes: attributes, bus: bus, service: service, collection: collection, deadline: deadline, timeout: timeout)
  }

  /// Loads libsecret, which a process links only by name: most profiles have their vault in a file.
  private static func loadLibrary() throws(Failure) {
    guard let problem = unsafe mfs_secret_load() else { return }
    throw Failure(
      .vaultBackendUnavailable, "cannot load libsecret: \(unsafe OutsideText.clean(String(cString: problem)))",
      hint: "install it ('apt-get install libsecret-1-0'), or keep new vaults in a file")
  }

  /// A reference to the session's bus for the caller to give up.
  private static func connectToBus(_ timeout: Int32, _ deadline: Deadline) throws(Failure) -> OpaquePointer {
    do throws(Failure) {
      let bus = try unsafe GLib.call("connect to the session bus", within: timeout, deadline) { _, error in
        unsafe mfs_session_bus(timeout, &error)
      }
      guard let bus = unsafe bus else { throw Failure(.bug, "GLib gave neither a bus nor an error") }
      return unsafe bus
    } catch  where error.code == .vaultBackendUnavailable {
      throw Failure(
        error.code, error.message,
        hint: "does DBUS_SESSION_BUS_ADDRESS name a bus that runs? start one with "
          + "'dbus-run-session -- ...', with the keyring in it")
    }
  }

  /// Without an address GLib would start a bus of its own, where no keyring of the user's is.
  private static func requireBusAddress(_ environment: Environment) throws(Failure) {
    let address = environment.nonEmpty("DBUS_SESSION_BUS_ADDRESS")
    if let address, !address.hasPrefix("autolaunch:") { return }
    if address == nil, let runtime = try environment.path("XDG_RUNTIME_DIR"), Files.exists(runtime + "/bus") { return }
    throw Failure(
      .vaultBackendUnavailable,
      "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set (org.freedesktop.DBus.Error.NoServer)",
      hint: "run it in the session that the keyring belongs to, or set DBUS_SESSION_BUS_ADDRESS to that session's bus; "
        + "'dbus-run-session -- ...' makes a bus of its own")
  }

  static func noDefaultKeyring() -> Failure {
    Failure(
      .vaultBackendUnavailable, "there is no default keyring (org.freedesktop.Secret.Error.NoSuchObject)",
      hint: "sign in to the desktop once, or give a password to 'gnome-keyring-daemon --unlock' on standard input")
  }
}
