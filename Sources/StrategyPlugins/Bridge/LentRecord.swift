internal import Basics
public import CStrategyABI
internal import Glibc
public import StrategyWire

/// Memory for a record that is lent to the other side of the ABI for the length of one call, then wiped and freed.
@safe public final class LentRecord {
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  /// The record; valid as long as this object.
  public private(set) var record = unsafe mfs_record_t()

  private let spacing: Int

  /// Copies a record, its pairs with so many bytes of rubbish behind each, as those of a newer version would have more.
  public init(_ record: WireRecord, spacing: Int = 0) {
    self.spacing = spacing
    unsafe self.record = unsafe lend(record)
  }

  deinit {
    for index in unsafe blocks.indices {
      let block = unsafe blocks[index]
      if let base = block.baseAddress { unsafe explicit_bzero(base, block.count) }
      unsafe block.deallocate()
    }
  }

  /// A copy of bytes that lives as long as this object.
  public func lend(_ bytes: some Collection<UInt8>) -> mfs_slice_t {
    let block = unsafe allocate(bytes.count)
    unsafe block.copyBytes(from: bytes)
    return unsafe mfs_slice_t(
      ptr: UnsafePointer(block.baseAddress?.assumingMemoryBound(to: UInt8.self)), len: UInt64(bytes.count))
  }

  private func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    // Never empty, so that a text of no length still has an address: a null pointer means absent.
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
    unsafe blocks.append(block)
    return unsafe block
  }

  private func lend(_ record: WireRecord) -> mfs_record_t {
    let stride = unsafe MemoryLayout<mfs_pair_t>.stride + spacing
    let block = unsafe allocate(record.fields.count * stride)
    if spacing > 0 { for index in block.indices { unsafe block[index] = 0xA5 } }
    for (index, field) in record.fields.enumerated() {
      var pair = unsafe mfs_pair_t()
      unsafe pair.name = unsafe lend(field.name.utf8)
      switch field.value {
      case .text(let text): unsafe (pair.kind, pair.bytes) = unsafe (UInt32(MFS_TEXT), lend(text.utf8))
      case .bytes(let bytes): unsafe (pair.kind, pair.bytes) = unsafe (UInt32(MFS_BYTES), lend(bytes))
      case .integer(let number): unsafe (pair.kind, pair.number) = (UInt32(MFS_INTEGER), number)
      case .boolean(let flag): unsafe (pair.kind, pair.number) = (UInt32(MFS_BOOLEAN), flag ? 1 : 0)
      case .instant(let time): unsafe (pair.kind, pair.number) = (UInt32(MFS_INSTANT), time.seconds)
      case .secret(let handle): unsafe (pair.kind, pair.secret) = (UInt32(MFS_SECRET), handle)
      case .list(let list): unsafe (pair.kind, pair.list) = unsafe (UInt32(MFS_LIST), lend(list))
      }
      unsafe block.storeBytes(of: pair, toByteOffset: index * stride, as: mfs_pair_t.self)
    }
    return unsafe mfs_record_t(
      pairs: UnsafePointer(block.baseAddress?.assumingMemoryBound(to: mfs_pair_t.self)),
      count: UInt32(record.fields.count), pair_size: UInt32(stride))
  }
}
