internal import Basics
internal import CLinux

/// Memory for a plugin's bytes: a memfd that is filled and sealed once. It can be handed to a process that is started
/// meanwhile, which looks at the seals before it loads anything from there.
final class PluginMemory {
  /// The memfd.
  let descriptor: FileDescriptor

  /// Memory without a byte in it. Throws ``FailureCode/inputOutput``.
  init() throws(Failure) {
    let number = unsafe clinux_memfd_create("mfs-strategy", PluginMemory.closeOnExec | PluginMemory.allowSealing)
    guard number >= 0 else { throw .system("make memory for a plugin") }
    descriptor = FileDescriptor(owning: number)
  }

  /// Makes sure that nobody can change the bytes any more. Throws ``FailureCode/inputOutput``.
  func seal() throws(Failure) {
    guard clinux_add_seals(descriptor.raw, PluginMemory.allSeals) == 0 else { throw .system("seal a plugin's memory") }
  }

  // linux/memfd.h and linux/fcntl.h, as numbers of the kernel's interface.
  private static let closeOnExec: UInt32 = 1
  private static let allowSealing: UInt32 = 2
  private static let allSeals: Int32 = 0x1 | 0x2 | 0x4 | 0x8
}
