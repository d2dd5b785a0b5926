/// A database of a Couchbase Sync Gateway, as the settings name it, and its sessions.
public struct Gateway: Sendable {
  /// `https://HOST[:PORT]`: the origin that requests go to.
  public let origin: String
  /// The database's name.
  public let database: String

  /// The gateway of `EXPO_PUBLIC_SG_URL` and `EXPO_PUBLIC_SG_DB`. The URL is `ws`, `wss`, `http` or `https` with host and
  /// port only. Throws ``StrategyError/Reason/badSettings``.
  public init(_ call: Call) throws(StrategyError) {
    let url = try call.setting("EXPO_PUBLIC_SG_URL"), database = try call.setting("EXPO_PUBLIC_SG_DB")
    let schemes = ["wss://": "https://", "ws://": "http://", "https://": "https://", "http://": "http://"]
    let lowered = url.lowercased()
    guard let (given, used) = schemes.first(where: { lowered.hasPrefix($0.key) }) else {
      throw StrategyError(.badSettings, "EXPO_PUBLIC_SG_URL is not a ws, wss, http or https URL")
    }
    var authority = url.dropFirst(given.count)
    if authority.last == "/" { authority.removeLast() }
    let isClean = authority.unicodeScalars.allSatisfy {
      $0.value > 0x20 && $0.value < 0x7F && !"/?#@\\".unicodeScalars.contains($0)
    }
    guard !authority.isEmpty, isClean else {
      throw StrategyError(.badSettings, "EXPO_PUBLIC_SG_URL has more than a scheme, a host and a port")
    }
    origin = used + authority
    self.database = database
  }

  /// The URL of the database's sessions.
  public var sessionURL: String { url("_session") }

  /// The URL of something of the database's, by its path, which is not escaped here.
  public func url(_ path: String) -> String { "\(origin)/\(Gateway.escape(database))/\(path)" }

  // RFC 3986 2.3: everything but the unreserved characters is escaped.
  static func escape(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
