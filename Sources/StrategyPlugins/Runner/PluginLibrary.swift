internal import CSandbox
package import CStrategyABI
internal import Glibc
internal import StrategyBridge

/// The plugin's library, loaded from the sealed memory that the parent verified.
@safe package struct PluginLibrary {
  /// The loader opens this path; the sandbox answers with the sealed memory, since no path can be opened.
  package static let path: StaticPath = "/proc/self/fd/4"
  /// The newest version of the ABI that this program speaks.
  package static let abi = UInt32(MFS_STRATEGY_ABI_VERSION)

  private let table: mfs_strategy_t

  /// Loads the library, which runs its constructors, asks it for its table and checks that.
  package init(strategy: String) throws(Ending) {
    let handle = unsafe dlopen(PluginLibrary.path.pointer, RTLD_NOW | RTLD_LOCAL)
    let missing = unsafe String(cString: csandbox_first_refused())
    csandbox_end_loading()
    guard let handle = unsafe handle else {
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason was given"
      throw .refused("it cannot be loaded: \(reason)")
    }
    guard missing.isEmpty else { throw .broken("it tried to reach the file \(missing) while it was being loaded") }
    guard let symbol = unsafe dlsym(handle, MFS_STRATEGY_ENTRY) else {
      throw .refused("it exports no \(MFS_STRATEGY_ENTRY)")
    }
    let entry = unsafe unsafeBitCast(symbol, to: mfs_strategy_entry_t.self)
    guard let table = unsafe entry(PluginLibrary.abi) else {
      throw .refused("it does not speak version \(PluginLibrary.abi) of the strategy ABI")
    }
    let size = unsafe table.pointee.struct_size, version = unsafe table.pointee.abi_version
    guard unsafe size >= MemoryLayout<mfs_strategy_t>.size else {
      throw .refused("its table is \(size) bytes, smaller than version \(PluginLibrary.abi) of the strategy ABI has it")
    }
    guard version == PluginLibrary.abi else {
      throw .refused("it speaks version \(version) of the strategy ABI, not \(PluginLibrary.abi)")
    }
    unsafe self.table = unsafe table.pointee
    guard let name = unsafe String(slice: self.table.name), name == strategy else {
      throw .refused("it does not call itself \(strategy), as its manifest does")
    }
  }

  /// The function of an operation. Throws when the plugin has none.
  package func operation(_ number: UInt32) throws(Ending) -> mfs_operation_t {
    let (name, operation): (String, mfs_operation_t?) =
      switch Int(number) {
      case Int(MFS_LOGIN): unsafe ("'login'", table.login)
      case Int(MFS_REFRESH): unsafe ("'refresh'", table.refresh)
      case Int(MFS_LOGOUT): unsafe ("'logout'", table.logout)
      default: ("\(number)", nil)
      }
    guard let operation = unsafe operation else {
      throw .refused("it has no operation \(name), though its manifest says so")
    }
    return unsafe operation
  }
}

/// A constant text as a C string that lives as long as the process.
@safe package struct StaticPath: ExpressibleByStringLiteral, Sendable {
  private let text: StaticString
  package init(stringLiteral value: StaticString) { text = value }
  package var pointer: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
