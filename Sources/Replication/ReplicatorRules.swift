/// The numbers that LiteCore's replicator goes by.
public enum ReplicatorRules {
  /// How many seconds it waits after so many failures in a row: 2, 4, 8 and so on, at most 300.
  public static func delay(afterFailures count: Int) -> Int { count < 1 ? 0 : count > 8 ? 300 : 1 << count }
  /// How often a one-shot replicator tries again; a continuous one does so for ever.
  public static let oneShotRetries = 9
  /// How many seconds it waits for a connection, TLS and the answer to the handshake together.
  public static let connectTimeout = 15
  /// After how many seconds it asks whether the gateway is still there.
  public static let heartbeat = 300
  /// The subprotocols it offers: `BLIP_3+CBMobile_4` with version vectors, `BLIP_3+CBMobile_3` without.
  public static let subprotocols = ["BLIP_3+CBMobile_4", "BLIP_3+CBMobile_3"]
  /// The cookie that carries a session where the gateway is not told another name.
  public static let cookieName = "SyncGatewaySession"
}
