internal import HTTPServer

extension ServerResponse {
  /// JSON that would be complete at its very end: blanks in front of an empty object.
  static func huge(_ size: Int64, headers: HeaderFields) -> ServerResponse {
    let block = [UInt8](repeating: 0x20, count: 65_536)
    let total = UInt64(max(size, 2))
    return ServerResponse(
      status: 200, headers: headers,
      body: .stream(length: total) { sent, limit in
        let blanks = total - 2 > sent ? total - 2 - sent : 0
        guard blanks > 0 else { return Array("{}".utf8.dropFirst(Int(clamping: sent - (total - 2)))) }
        let count = min(UInt64(min(limit, block.count)), blanks)
        return count == block.count ? block : Array(block.prefix(Int(count)))
      })
  }

  /// This answer, cut in the midst of its body; without one, no answer at all.
  func cutInTwo() -> ServerResponse {
    guard case .bytes(let bytes) = body, bytes.count > 1 else { return .cut }
    var response = self
    response.connection = .cutAfter(bytes: bytes.count / 2)
    return response
  }
}
