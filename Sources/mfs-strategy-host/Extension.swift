internal import CStrategyABI
internal import StrategyBridge
internal import StrategyWire

/// The named extensions. Each of their functions takes a record to the parent and its answer to the plugin's receiver.
enum Extension {
  /// The table of that name; nil when there is none.
  static func table(_ name: String) -> UnsafeRawPointer? {
    switch name {
    case MFS_EXTENSION_HTTP: unsafe UnsafeRawPointer(http)
    case MFS_EXTENSION_VAULT: unsafe UnsafeRawPointer(vault)
    case MFS_EXTENSION_PROMPT: unsafe UnsafeRawPointer(prompt)
    case MFS_EXTENSION_SECRET: unsafe UnsafeRawPointer(secret)
    default: nil
    }
  }

  private nonisolated(unsafe) static let http = unsafe HostTable.constant(
    mfs_http_t(struct_size: UInt32(MemoryLayout<mfs_http_t>.size), reserved: 0) { _, request, receiver in
      unsafe forward(.http, request, receiver, named: "mfs.http send")
    })

  private nonisolated(unsafe) static let vault = unsafe HostTable.constant(
    mfs_vault_t(
      struct_size: UInt32(MemoryLayout<mfs_vault_t>.size), reserved: 0,
      use: { _, request, receiver in unsafe forward(.vaultUse, request, receiver, named: "mfs.vault use") },
      read: { _, request, receiver in unsafe forward(.vaultRead, request, receiver, named: "mfs.vault read") }))

  private nonisolated(unsafe) static let prompt = unsafe HostTable.constant(
    mfs_prompt_t(struct_size: UInt32(MemoryLayout<mfs_prompt_t>.size), reserved: 0) { _, request, receiver in
      unsafe forward(.prompt, request, receiver, named: "mfs.prompt ask")
    })

  private nonisolated(unsafe) static let secret = unsafe HostTable.constant(
    mfs_secret_extension_t(
      struct_size: UInt32(MemoryLayout<mfs_secret_extension_t>.size), reserved: 0,
      make: { _, request, receiver in unsafe forward(.secretNew, request, receiver, named: "mfs.secret make") },
      join: { _, request, receiver in unsafe forward(.secretJoin, request, receiver, named: "mfs.secret join") },
      basic: { _, request, receiver in unsafe forward(.secretBasic, request, receiver, named: "mfs.secret basic") }))

  private static func forward(
    _ call: HostCall, _ request: mfs_record_t, _ receiver: UnsafePointer<mfs_receiver_t>?, named function: StaticString
  ) -> mfs_status_t {
    let conversation = Conversation.current(for: function)
    guard let receiver = unsafe receiver,
      unsafe receiver.pointee.struct_size >= UInt32(MemoryLayout<mfs_receiver_t>.size),
      let receive = unsafe receiver.pointee.receive
    else { return HostStatus.badArgument.rawValue }
    let context = unsafe receiver.pointee.context
    let (status, answer): (HostStatus, WireRecord)
    if let fields = unsafe WireRecord(copying: request) {
      (status, answer) = HostTable.attempt(conversation) { () throws(Ending) in try conversation.ask(call, fields) }
    } else {
      (status, answer) = (.badArgument, ["message": .text("the request is malformed")])
    }
    let lent = LentRecord(answer)
    unsafe receive(context, lent.record)
    return status.rawValue
  }
}
