internal import Basics
internal import SecureMemory

/// Reads the fields of an item from lent memory; nil as soon as there is too little.
@safe struct ItemReader {
  private var reader: ByteReader<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { unsafe reader = unsafe ByteReader(bytes) }

  var remaining: Int { unsafe reader.remaining }

  mutating func number<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? { unsafe reader.integer() }

  /// The next `count` bytes, copied to guarded memory of their own.
  mutating func secret(count: Int) throws(Failure) -> SecureBox? {
    guard let bytes = unsafe reader.slice(count) else { return nil }
    return SecureBox(try unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: bytes)))
  }

  /// A name as ``ByteWriter/put(name:)`` writes it.
  mutating func name() -> String? {
    guard let count = number(UInt8.self), let bytes = unsafe reader.slice(Int(count)) else { return nil }
    return unsafe String(validating: bytes, as: UTF8.self)
  }
}
