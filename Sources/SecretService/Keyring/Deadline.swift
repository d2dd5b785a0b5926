internal import CSecret

/// A limit in time for calls that have none of their own: a thread cancels the call in progress when its time is over.
@safe final class Deadline {
  private let raw = unsafe mfs_deadline_new()

  deinit { unsafe mfs_deadline_free(raw) }

  /// Runs one call with a cancellable that fires after `milliseconds`; the second result says whether it did.
  func limit<R>(
    _ milliseconds: Int32, _ call: (UnsafeMutablePointer<GCancellable>?) -> R
  ) -> (result: R, expired: Bool) {
    let cancellable = unsafe mfs_deadline_begin(raw, milliseconds)
    let result = unsafe call(cancellable)
    return (result, unsafe mfs_deadline_end(raw) != 0)
  }
}
