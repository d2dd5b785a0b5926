internal import Basics
internal import CSecret

/// Calls into GLib with their errors turned into failures, and its strings into ours.
enum GLib {
  /// Runs one call that may set an error, no longer than `milliseconds`.
  static func call<R>(
    _ doing: String, writing: Bool = false, within milliseconds: Int32, _ deadline: Deadline,
    _ body: (UnsafeMutablePointer<GCancellable>?, inout UnsafeMutablePointer<GError>?) -> R
  ) throws(Failure) -> R {
    var error: UnsafeMutablePointer<GError>?
    let (result, expired) = unsafe deadline.limit(milliseconds) { unsafe body($0, &error) }
    guard let failed = unsafe error else { return result }
    defer { unsafe g_error_free(failed) }
    let isLate = unsafe expired || Failure.isTimeout(failed)
    throw unsafe Failure(keyring: failed, doing: doing, writing: writing, expiredAfter: isLate ? milliseconds : nil)
  }

  /// Takes over a string; nil for none.
  static func take(_ text: UnsafeMutablePointer<gchar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe g_free(text) }
    return unsafe String(cString: text)
  }

  /// Takes over a null-terminated list of strings; none for nil.
  static func take(_ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
    guard let list = unsafe list else { return [] }
    defer { unsafe g_strfreev(list) }
    var result: [String] = []
    var cursor = unsafe list
    while let text = unsafe cursor.pointee {
      result.append(unsafe String(cString: text))
      unsafe cursor += 1
    }
    return result
  }

  /// Lends a null-terminated list of strings to a call.
  static func withStrings<R>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<gchar>?>?) -> R
  ) -> R {
    var list: [UnsafePointer<gchar>?] = unsafe strings.map { unsafe UnsafePointer(g_strdup($0)) } + [nil]
    defer { unsafe list.forEach { unsafe g_free(UnsafeMutableRawPointer(mutating: $0)) } }
    return unsafe list.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
  }
}

/// A hash table of GLib's with strings as keys, freed when this ends.
@safe final class StringTable {
  let raw: OpaquePointer?

  init(owning raw: OpaquePointer?) { unsafe self.raw = unsafe raw }

  deinit { if let raw = unsafe raw { unsafe g_hash_table_unref(raw) } }

  /// What stands at a key, owned by the table.
  func value(_ key: String) -> UnsafeMutableRawPointer? {
    guard let raw = unsafe raw else { return nil }
    return unsafe key.withCString { unsafe g_hash_table_lookup(raw, $0) }
  }
}
