internal import Basics
internal import SecureMemory

/// Reads lent bytes from the front; nil as soon as there are too few. Numbers are big-endian.
@safe struct ByteReader {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { unsafe rest = unsafe bytes }

  var remaining: Int { unsafe rest.count }

  mutating func number<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? {
    let size = MemoryLayout<T>.size
    guard remaining >= size else { return nil }
    let number = unsafe T(bigEndian: rest.loadUnaligned(as: T.self))
    unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
    return number
  }

  /// The next `count` bytes, copied to guarded memory of their own.
  mutating func secret(count: Int) throws(Failure) -> SecureBox? {
    guard count >= 0, remaining >= count else { return nil }
    let secret = try unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
    unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    return SecureBox(secret)
  }

  /// A name as ``ByteWriter/put(name:)`` writes it.
  mutating func name() -> String? {
    guard let count = number(UInt8.self), remaining >= Int(count) else { return nil }
    let text = unsafe String(validating: rest.prefix(Int(count)), as: UTF8.self)
    unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
    return text
  }
}
