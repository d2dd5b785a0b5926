internal import CStrategyABI
internal import StrategyBridge
internal import StrategyWire

/// Where the plugin reports. A second report ends the process: ``Conversation/current(for:)`` sees to it.
enum Sink {
  static var table: mfs_sink_t {
    unsafe mfs_sink_t(
      struct_size: UInt32(MemoryLayout<mfs_sink_t>.size), reserved: 0, context: nil,
      success: { _, result in
        let conversation = Conversation.current(for: "a sink")
        guard let fields = unsafe WireRecord(copying: result) else {
          Ending.broken("it reported a result that is malformed").leave(conversation.channel)
        }
        conversation.take(.result(fields))
      },
      failure: { _, failure in
        let conversation = Conversation.current(for: "a sink")
        guard let failure = unsafe failure,
          unsafe failure.pointee.struct_size >= UInt32(MemoryLayout<mfs_failure_t>.size)
        else { Ending.broken("it reported a failure that is malformed").leave(conversation.channel) }
        let status = unsafe failure.pointee.http_status, retryAfter = unsafe failure.pointee.retry_after
        let reasons = UInt32(MFS_REASON_BAD_SETTINGS)...UInt32(MFS_REASON_INTERNAL)
        let reason = unsafe failure.pointee.reason
        conversation.take(
          .failure(
            WireMessage.StrategyFault(
              reason: reasons.contains(reason) ? reason : reasons.upperBound,
              message: String(
                decoding: unsafe [UInt8](slice: failure.pointee.message)?.prefix(4_096) ?? [], as: UTF8.self),
              status: (100...599).contains(status) ? status : nil,
              retryAfter: retryAfter >= 0 ? retryAfter : nil)))
      })
  }
}
