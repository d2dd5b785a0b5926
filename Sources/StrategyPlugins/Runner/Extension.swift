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
    case MFS_EXTENSION_TIMER: unsafe UnsafeRawPointer(timer)
    case MFS_EXTENSION_BROWSER: unsafe UnsafeRawPointer(browser)
    case MFS_EXTENSION_OIDC: unsafe UnsafeRawPointer(oidc)
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
      read: { _, request, receiver in unsafe forward(.vaultRead, request, receiver, named: "mfs.vault read") },
      store: { _, request, receiver in unsafe forward(.vaultStore, request, receiver, named: "mfs.vault store") }))

  private nonisolated(unsafe) static let prompt = unsafe HostTable.constant(
    mfs_prompt_t(
      struct_size: UInt32(MemoryLayout<mfs_prompt_t>.size), reserved: 0,
      ask: { _, request, receiver in unsafe forward(.prompt, request, receiver, named: "mfs.prompt ask") },
      show: { _, request, receiver in unsafe forward(.promptShow, request, receiver, named: "mfs.prompt show") }))

  private nonisolated(unsafe) static let secret = unsafe HostTable.constant(
    mfs_secret_extension_t(
      struct_size: UInt32(MemoryLayout<mfs_secret_extension_t>.size), reserved: 0,
      make: { _, request, receiver in unsafe forward(.secretNew, request, receiver, named: "mfs.secret make") },
      join: { _, request, receiver in unsafe forward(.secretJoin, request, receiver, named: "mfs.secret join") },
      basic: { _, request, receiver in unsafe forward(.secretBasic, request, receiver, named: "mfs.secret basic") },
      form: { _, request, receiver in unsafe forward(.secretForm, request, receiver, named: "mfs.secret form") }))

  private nonisolated(unsafe) static let timer = unsafe HostTable.constant(
    mfs_timer_t(struct_size: UInt32(MemoryLayout<mfs_timer_t>.size), reserved: 0) { _, request, receiver in
      unsafe forward(.wait, request, receiver, named: "mfs.timer wait")
    })

  private nonisolated(unsafe) static let browser = unsafe HostTable.constant(
    mfs_browser_t(
      struct_size: UInt32(MemoryLayout<mfs_browser_t>.size), reserved: 0,
      authorize: { _, request, receiver in
        unsafe forward(.browserAuthorize, request, receiver, named: "mfs.browser authorize")
      },
      open: { _, request, receiver in unsafe forward(.browserOpen, request, receiver, named: "mfs.browser open") }))

  private nonisolated(unsafe) static let oidc = unsafe HostTable.constant(
    mfs_oidc_t(
      struct_size: UInt32(MemoryLayout<mfs_oidc_t>.size), reserved: 0,
      discover: { _, request, receiver in unsafe forward(.oidcDiscover, request, receiver, named: "mfs.oidc discover")
      },
      verify: { _, request, receiver in unsafe forward(.oidcVerify, request, receiver, named: "mfs.oidc verify") }))

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
    let lent = LentRecord(Trial.greased(answer), spacing: Trial.spacing)
    unsafe receive(context, lent.record)
    return status.rawValue
  }
}
