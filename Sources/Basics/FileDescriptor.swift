internal import CLinux
public import Glibc

/// An open file that closes itself. Every open is close-on-exec.
public struct FileDescriptor: ~Copyable {
  /// The number of the open file; valid as long as this value lives.
  public let raw: Int32

  /// Takes over an open descriptor.
  public init(owning raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Gives the descriptor away; the caller closes it.
  public consuming func release() -> Int32 {
    let number = raw
    discard self
    return number
  }

  /// Opens a path, retrying on EINTR. `flags` are open(2)'s; `mode` is used when a file is created.
  /// Throws the failure that ``Failure/system(_:code:hint:)`` makes, or ``FailureCode/notFound`` for ENOENT.
  public static func open(_ path: String, flags: Int32, mode: UInt32 = 0o600) throws(Failure) -> FileDescriptor {
    var number: Int32
    repeat { number = unsafe clinux_open(path, flags | O_CLOEXEC, mode) } while number < 0 && clinux_errno() == EINTR
    guard number >= 0 else {
      let number = clinux_errno()
      throw openFailure(path, number, hint: number == EACCES ? AccessRefusal.hint(path) : nil)
    }
    return FileDescriptor(owning: number)
  }

  /// The same for a name inside this open directory.
  public borrowing func open(at name: String, flags: Int32, mode: UInt32 = 0o600) throws(Failure) -> FileDescriptor {
    var number: Int32
    repeat {
      number = unsafe clinux_openat(raw, name, flags | O_CLOEXEC, mode)
    } while number < 0 && clinux_errno() == EINTR
    guard number >= 0 else { throw FileDescriptor.openFailure(name, clinux_errno()) }
    return FileDescriptor(owning: number)
  }

  private static func openFailure(_ path: String, _ number: Int32, hint: String? = nil) -> Failure {
    let code: FailureCode = number == ENOENT ? .notFound : .inputOutput
    return .system("open \(OutsideText.clean(path, limit: 300))", errno: number, code: code, hint: hint)
  }

  /// What fstat(2) says of the file. Throws ``FailureCode/inputOutput``.
  public borrowing func status() throws(Failure) -> stat {
    var result = stat()
    guard unsafe fstat(raw, &result) == 0 else { throw .system("read the state of an open file") }
    return result
  }

  /// Reads up to `count` bytes from where the file stands, appending them; 0 at its end.
  public borrowing func read(into bytes: inout [UInt8], count: Int) throws(Failure) -> Int {
    var got = 0
    // The memory is not cleared first: most of a large chunk is often not needed.
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      repeat { got = unsafe Glibc.read(raw, buffer.baseAddress, count) } while got < 0 && clinux_errno() == EINTR
      initialized = max(got, 0)
    }
    guard got >= 0 else { throw .system("read") }
    if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
    return got
  }

  /// Reads to the end, but no more than `limit` bytes. Returns nil when there is more than that.
  public borrowing func readToEnd(limit: Int) throws(Failure) -> [UInt8]? {
    var bytes: [UInt8] = []
    // One request for the whole of a regular file; the size is a hint only, since the file may grow.
    let size = min(max(Int(try status().st_size), 0), limit)
    bytes.reserveCapacity(size + 1)
    while true {
      let wanted = min(max(size + 1 - bytes.count, 4_096), limit + 1 - bytes.count)
      if try read(into: &bytes, count: wanted) == 0 { return bytes }
      if bytes.count > limit { return nil }
    }
  }

  /// Writes all the bytes, going on after short writes.
  public borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var done = 0
    while done < bytes.count {
      let got = unsafe Glibc.write(raw, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      if got < 0 {
        if clinux_errno() == EINTR { continue }
        throw .system("write")
      }
      done += got
    }
  }

  /// Writes all the bytes of an array.
  public borrowing func write(_ bytes: [UInt8]) throws(Failure) {
    let failure: Failure? = unsafe bytes.withUnsafeBytes { buffer in
      do throws(Failure) {
        try unsafe write(buffer)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }
}
