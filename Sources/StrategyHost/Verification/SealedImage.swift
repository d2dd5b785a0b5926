internal import Basics
internal import CLinux
internal import Glibc

/// A private copy of a file's bytes that nobody can change any more: a sealed memfd. What is hashed and inspected here
/// is what the plugin's process loads.
@safe final class SealedImage {
  /// Where they are.
  let memory: PluginMemory
  private let bytes: UnsafeRawBufferPointer

  /// Copies a file of at most `limit` bytes, into `memory` that is still empty when that is given. Throws
  /// ``FailureCode/inputOutput`` when there is no memory or the file cannot be read, ``FailureCode/pluginRefused`` when it
  /// is larger or empty.
  init(
    copying file: borrowing FileDescriptor, name: String, limit: Int, into memory: PluginMemory? = nil
  ) throws(Failure) {
    let size = Int(clamping: try file.status().st_size)
    guard size <= limit else { throw Failure(.pluginRefused, "\(name) is larger than \(limit) bytes") }
    guard size > 0 else { throw Failure(.pluginRefused, "\(name) is empty") }
    let memory = if let memory { memory } else { try PluginMemory() }
    try SealedImage.fill(memory.descriptor, size, from: file, name)
    try memory.seal()
    let base = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, memory.descriptor.raw, 0)
    guard let base = unsafe base, unsafe base != MAP_FAILED else { throw .system("map the copy of \(name)") }
    unsafe bytes = UnsafeRawBufferPointer(start: base, count: size)
    self.memory = memory
  }

  // Straight from the file into the memfd's pages.
  private static func fill(
    _ copy: borrowing FileDescriptor, _ size: Int, from file: borrowing FileDescriptor, _ name: String
  ) throws(Failure) {
    guard ftruncate(copy.raw, size) == 0,
      let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, copy.raw, 0), unsafe base != MAP_FAILED
    else { throw .system("make a copy of \(name) in memory") }
    defer { unsafe munmap(base, size) }
    var done = 0
    while done < size {
      let got = unsafe pread(file.raw, base + done, size - done, done)
      if got < 0, clinux_errno() == EINTR { continue }
      guard got >= 0 else { throw .system("read \(name)") }
      guard got > 0 else { throw Failure(.pluginRefused, "\(name) changed while it was read") }
      done += got
    }
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

  /// The digest of the bytes.
  var digest: FileDigest { unsafe withBytes { unsafe FileDigest(of: $0) } }

  /// Lends the bytes.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe body(bytes) }
}
