internal import Basics
internal import CSecret
internal import SecureMemory

/// A connection to the session's Secret Service and to the collection that its alias `default` names, for the items of
/// one profile. This folder is where libsecret's pointers are held and freed; nothing outside it sees one.
@safe final class Keyring {
  let attributes: ItemAttributes
  private let bus: OpaquePointer
  private let service: UnsafeMutablePointer<SecretService>
  private let collection: String
  private let deadline: Deadline
  private let timeout: Int32

  /// Takes over one reference each to a connection and to a service with an open session.
  init(
    attributes: ItemAttributes, bus: OpaquePointer, service: UnsafeMutablePointer<SecretService>, collection: String,
    deadline: Deadline, timeout: Int32
  ) {
    self.attributes = attributes
    unsafe self.bus = unsafe bus
    unsafe self.service = unsafe service
    self.collection = collection
    self.deadline = deadline
    self.timeout = timeout
  }

  deinit {
    unsafe g_object_unref(UnsafeMutableRawPointer(service))
    unsafe g_object_unref(UnsafeMutableRawPointer(bus))
  }

  /// The object paths of the profile's items, or of those with one key. Throws ``FailureCode/vaultLocked`` when any of
  /// them is locked: what cannot be read must not look absent.
  func search(key: String? = nil) throws(Failure) -> [String] {
    let found = try searchEvenLocked(key: key)
    guard found.locked.isEmpty else { throw .keyringLocked() }
    return found.unlocked
  }

  /// The same, locked items apart.
  func searchEvenLocked(key: String? = nil) throws(Failure) -> (unlocked: [String], locked: [String]) {
    let wanted = attributes.wanted(key: key)
    return try unsafe call("search the keyring") { cancellable, error in
      var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
      var locked: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
      unsafe secret_service_search_for_dbus_paths_sync(
        service, nil, wanted.raw, cancellable, &unlocked, &locked, &error)
      return (unsafe GLib.take(unlocked), unsafe GLib.take(locked))
    }
  }

  /// The secrets at these paths by path, as the provider has them at one moment; paths that are no more are left out.
  func secrets(at paths: [String]) throws(Failure) -> [String: StoredSecret] {
    guard !paths.isEmpty else { return [:] }
    let table = try unsafe call("read from the keyring") { cancellable, error in
      unsafe GLib.withStrings(paths) { list in
        unsafe StringTable(
          owning: secret_service_get_secrets_for_dbus_paths_sync(service, list, cancellable, &error))
      }
    }
    var secrets: [String: StoredSecret] = [:]
    for path in paths {
      guard let value = unsafe table.value(path) else { continue }
      secrets[path] = try unsafe StoredSecret(OpaquePointer(value))
    }
    return secrets
  }

  /// The items of ours among those at these paths.
  func items(at paths: [String]) throws(Failure) -> [Item] {
    var items: [Item] = []
    for case .bytes(let box) in try secrets(at: paths).values {
      if let item = try Item(box.bytes) { items.append(item) }
    }
    return items
  }

  /// Makes the item with this key hold a secret, in place of the one it has. Returns the item's path.
  func write(key: String, _ secret: borrowing EncodedSecret) throws(Failure) -> String {
    let full = attributes.full(key: key)
    let properties = unsafe StringTable(owning: mfs_item_properties(attributes.label(key: key), full.raw))
    let value = unsafe secret.makeValue()
    defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
    let path = try unsafe call("write to the keyring", writing: true) { cancellable, error in
      unsafe GLib.take(
        secret_service_create_item_dbus_path_sync(
          service, collection, properties.raw, value, SECRET_ITEM_CREATE_REPLACE, cancellable, &error))
    }
    guard let path else { throw Failure(.vaultBackendUnavailable, "the keyring made an item without a path") }
    return path
  }

  /// Removes an item; one that is gone already is fine.
  func delete(_ path: String) throws(Failure) {
    do throws(Failure) {
      _ = try unsafe call("delete from the keyring", writing: true) { cancellable, error in
        unsafe secret_service_delete_item_dbus_path_sync(service, path, cancellable, &error)
      }
    } catch  where error.code == .noSuchItem {
      return
    }
  }

  /// The `key` attribute of an item whose secret cannot be made sense of; nil when it has none or is gone.
  func key(of path: String) throws(Failure) -> String? {
    do throws(Failure) {
      return try unsafe call("read an item's attributes") { cancellable, error in
        unsafe GLib.take(mfs_item_attribute(bus, path, "key", timeout, cancellable, &error))
      }
    } catch  where error.code == .noSuchItem {
      return nil
    }
  }

  /// Whether the collection is locked.
  func isLocked() throws(Failure) -> Bool {
    do throws(Failure) {
      return try unsafe call("ask whether the keyring is locked") { cancellable, error in
        unsafe mfs_is_locked(bus, collection, timeout, cancellable, &error) != 0
      }
    } catch  where error.code == .noSuchItem {
      throw Keyring.noDefaultKeyring()
    }
  }

  /// Lets the provider ask the user to unlock the collection, and waits for that no longer than `milliseconds`.
  func unlock(within milliseconds: Int32) throws(Failure) {
    _ = try unsafe GLib.call("unlock the keyring", within: milliseconds, deadline) { cancellable, error in
      unsafe GLib.withStrings([collection]) { list in
        unsafe secret_service_unlock_dbus_paths_sync(service, list, cancellable, nil, &error)
      }
    }
    // A prompt that was dismissed, or could not be shown, is no error of the call.
    if try isLocked() { throw .keyringLocked() }
  }

  private func call<R>(
    _ doing: String, writing: Bool = false,
    _ body: (UnsafeMutablePointer<GCancellable>?, inout UnsafeMutablePointer<GError>?) -> R
  ) throws(Failure) -> R {
    try unsafe GLib.call(doing, writing: writing, within: timeout, deadline, body)
  }
}
