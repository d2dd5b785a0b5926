internal import Basics
public import CStrategyABI
public import StrategyWire

// From the memory of the other side of the ABI. A pointer that leads nowhere ends this process, which is the plugin's own;
// everything else that can be wrong is nil.

extension Array where Element == UInt8 {
  /// A copy of a slice; nil when it is malformed or longer than a frame.
  public init?(slice: mfs_slice_t) {
    let length = unsafe slice.len
    guard length <= UInt64(WireLimit.frame) else { return nil }
    guard length > 0 else {
      self = []
      return
    }
    guard let start = unsafe slice.ptr else { return nil }
    self = unsafe Array(UnsafeBufferPointer(start: start, count: Int(length)))
  }
}

extension String {
  /// A copy of a slice that is text; nil when it is malformed or not UTF-8.
  public init?(slice: mfs_slice_t) {
    guard let bytes = unsafe [UInt8](slice: slice) else { return nil }
    self.init(validating: bytes, as: UTF8.self)
  }
}

extension WireRecord {
  /// A copy of a record; nil when any of it is malformed or beyond a ``WireLimit``.
  public init?(copying record: mfs_record_t) { unsafe self.init(copying: record, depth: 1) }

  fileprivate init?(copying record: mfs_record_t, depth: Int) {
    let count = Int(unsafe record.count), stride = Int(unsafe record.pair_size)
    guard depth <= WireLimit.depth, count <= WireLimit.fields else { return nil }
    self.init()
    guard count > 0 else { return }
    guard let start = unsafe record.pairs, unsafe stride >= MemoryLayout<mfs_pair_t>.size, stride <= 4_096 else {
      return nil
    }
    let base = unsafe UnsafeRawPointer(start)
    for index in 0..<count {
      let pair = unsafe base.loadUnaligned(fromByteOffset: index * stride, as: mfs_pair_t.self)
      guard let name = unsafe String(slice: pair.name), (1...WireLimit.name).contains(name.utf8.count),
        let value = unsafe WireValue(copying: pair, depth: depth), depth > 1 || self[name] == nil
      else { return nil }
      fields.append(Field(name, value))
    }
  }
}

extension WireValue {
  fileprivate init?(copying pair: mfs_pair_t, depth: Int) {
    switch Int(unsafe pair.kind) {
    case Int(MFS_TEXT):
      guard let text = unsafe String(slice: pair.bytes) else { return nil }
      self = .text(text)
    case Int(MFS_BYTES):
      guard let bytes = unsafe [UInt8](slice: pair.bytes) else { return nil }
      self = .bytes(bytes)
    case Int(MFS_INTEGER): self = .integer(unsafe pair.number)
    case Int(MFS_INSTANT): self = .instant(Timestamp(seconds: unsafe pair.number))
    case Int(MFS_BOOLEAN):
      guard (0...1).contains(unsafe pair.number) else { return nil }
      self = .boolean(unsafe pair.number == 1)
    case Int(MFS_SECRET):
      guard unsafe pair.secret != 0 else { return nil }
      self = .secret(unsafe pair.secret)
    case Int(MFS_LIST):
      guard let list = unsafe WireRecord(copying: pair.list, depth: depth + 1) else { return nil }
      self = .list(list)
    default: return nil
    }
  }
}
