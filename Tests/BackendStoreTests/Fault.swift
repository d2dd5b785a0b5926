import Testing

/// A database that breaks a promise: SQL that spoils it behind the store's back, and the checks that must see it.
struct Fault: Sendable, CustomTestStringConvertible {
  let sql: String
  let seenBy: [String]

  init(_ sql: String, _ seenBy: String...) {
    self.sql = sql
    self.seenBy = seenBy
  }

  var testDescription: String { sql }

  /// After a change of a kind, another.
  private static func after(_ change: String, _ action: String, when: String = "1", _ seenBy: String...) -> Fault {
    Fault("CREATE TRIGGER fault AFTER \(change) WHEN \(when) BEGIN \(action); END", seenBy)
  }

  /// A change of a kind is not made.
  private static func never(_ change: String, when: String = "1", _ seenBy: String...) -> Fault {
    Fault("CREATE TRIGGER fault BEFORE \(change) WHEN \(when) BEGIN SELECT raise(IGNORE); END", seenBy)
  }

  private init(_ sql: String, _ seenBy: [String]) {
    self.sql = sql
    self.seenBy = seenBy
  }

  private static func family(_ change: String) -> String { "UPDATE family SET \(change) WHERE number = NEW.number" }
  private static func code(_ change: String) -> String { "UPDATE code SET \(change) WHERE hash = NEW.hash" }

  /// A hash of the suite's, or the beginning of one, as a BLOB.
  private static func blob(_ number: Int, count: Int = 32) -> String {
    let digits = (0..<count).map { index in
      let byte = String(UInt8(truncatingIfNeeded: (number >> (8 * (index % 4))) + index), radix: 16)
      return byte.count == 1 ? "0\(byte)" : byte
    }
    return "x'\(digits.joined())'"
  }

  static let all: [Fault] = families + signIn + devices

  private static let families: [Fault] = [
    after("UPDATE OF generation ON family", family("generation = OLD.generation"), "rotate", "race-grace"),
    after("UPDATE OF current_hash ON family", family("current_hash = OLD.current_hash"), "rotate-later"),
    after(
      "INSERT ON family", family("handle = \(blob(2, count: 16))"), when: "NEW.id = 'sid-1'", "rotate-unknown", "find"),
    after(
      "INSERT ON family", "INSERT INTO spent (family, hash, pepper) VALUES (NEW.number, \(blob(1_077)), 1)",
      "rotate-wrong-token"),
    after("INSERT ON family", family("client = 'other'"), "rotate-client", "begin"),
    after(
      "UPDATE OF ended ON family", family("ended = NULL, ended_at = NULL"), when: "NEW.ended IS NOT NULL",
      "rotate-ended",
      "rotate-replay", "rotate-failures", "redeem-replay", "end", "end-some", "change-user", "remove-client",
      "remove-device",
      "race-refresh", "race-replay", "race-revoke", "race-redeem"),
    after(
      "UPDATE OF ended ON family", "UPDATE family SET ended = NEW.ended WHERE user = NEW.user",
      when: "NEW.ended IS NOT NULL", "rotate-replay-alone", "redeem-replay"),
    never(
      "INSERT ON denial", "rotate-replay", "end", "end-some", "deny", "is-denied", "change-user", "remove-client",
      "remove-device"),
    after("UPDATE ON denial", "UPDATE denial SET until = OLD.until WHERE id = NEW.id", "deny"),
    never(
      "INSERT ON spent", "rotate-replay", "grace-over", "find", "race-refresh", "held-rotation",
      "rotate-hidden"),
    after(
      "INSERT ON spent", "DELETE FROM spent WHERE family = NEW.family AND hash <> NEW.hash", "rotate-replay", "find"),
    after("INSERT ON family", family("current_pepper = 2"), "rotate-peppers"),
    after("UPDATE OF failed_at ON family", family("failed_at = NULL"), "rotate-failures"),
    after(
      "UPDATE OF failed_at ON family", family("failed_at = '1900000000 1900000000 ' || NEW.failed_at"),
      "rotate-failures"),
    after("INSERT ON family", family("device = NULL"), "rotate-device", "grace", "begin"),
    after(
      "UPDATE OF is_disabled ON user", "UPDATE user SET is_disabled = 0 WHERE id = NEW.id", "rotate-user",
      "rotate-order", "grace-checks", "redeem-user", "browser-session", "device-code-refused", "change-user-if"),
    after("INSERT ON family", family("scopes = 'a b d'"), "rotate-scope"),
    after("INSERT ON family", family("client = 'cafe' || char(769)"), "rotate-bytes"),
    after("UPDATE OF sealed ON family", family("sealed = NULL"), "grace", "race-grace"),
    after("UPDATE OF sealed ON family", family("sealed = x'01'"), when: "NEW.sealed IS NULL", "grace-bound"),
    after("UPDATE OF generation ON family", family("used_at = NEW.used_at + 10"), "grace-over", "lifetime-idle"),
    after(
      "UPDATE OF generation ON family", family("previous_hash = OLD.previous_hash"),
      when: "OLD.previous_hash IS NOT NULL", "grace-used"),
    after("UPDATE OF generation ON family", family("used_at = OLD.used_at"), "rotate", "lifetime-idle"),
    after("UPDATE OF generation ON family", family("expires_at = NEW.expires_at + 50"), "lifetime-absolute"),
    after("INSERT ON family", family("auth_time = 0"), "begin", "redeem", "device-code"),
    Fault(
      """
      CREATE TRIGGER fault BEFORE INSERT ON family
      BEGIN DELETE FROM family WHERE handle = NEW.handle OR id = NEW.id; END
      """, "begin-twice", "code-twice"),
    after("INSERT ON family", family("idle_seconds = 1000000"), "live", "prune"),
    never("DELETE ON family", "prune"),
    never("DELETE ON device_code", "device-code-prune"),
    never("DELETE ON denial", "prune"),
    never("UPDATE OF sealed ON family", when: "NEW.sealed IS NULL AND OLD.sealed IS NOT NULL", "prune-grace"),
  ]

  private static let signIn: [Fault] = [
    after(
      "INSERT ON code",
      """
      INSERT INTO code SELECT hash, 2, client, redirect_uri, is_redirect_uri_given, challenge, user, device, scopes, nonce,
        auth_time, browser_session, expires_at, is_spent, family FROM code WHERE hash = NEW.hash
      """, "redeem-unknown"),
    after("UPDATE OF is_spent ON code", code("is_spent = 0"), "redeem-replay", "redeem-mismatch", "race-redeem"),
    after("INSERT ON code", code("challenge = 'challenge-x'"), "redeem-mismatch", "redeem"),
    after("INSERT ON code", code("expires_at = NEW.expires_at + 1"), "redeem-late"),
    after("INSERT ON code", code("expires_at = NEW.expires_at - 1"), "redeem-late", "prune-code"),
    after("INSERT ON code", code("device = NULL"), "redeem-device"),
    never(
      "DELETE ON browser_session", "redeem-user", "browser-session", "end-some-sessions", "change-user",
      "approve-session"),
    never("DELETE ON code", "remove-client", "prune"),
    after("INSERT ON client", "UPDATE client SET grants = '[]'", "clients"),
    after("INSERT ON user", "UPDATE user SET claims = '{}'", "users"),
    never("UPDATE ON user", "change-user", "change-user-if"),
    after(
      "UPDATE OF password_hash ON user", "UPDATE user SET password_hash = OLD.password_hash WHERE id = NEW.id",
      "session-if", "change-user", "change-user-if"),
    after(
      "UPDATE OF claims ON user", "UPDATE user SET claims = '{}' WHERE id = NEW.id",
      when: "length(NEW.claims) > 120 AND NEW.claims <> '{}'", "race-user"),
    never("DELETE ON resource_server", "resource-servers"),
    after("INSERT ON client", "DELETE FROM client WHERE id = NEW.id", "race-put"),
    never("INSERT ON resource_server", "race-put"),
    after(
      "UPDATE ON resource_server", "UPDATE resource_server SET pepper = OLD.pepper WHERE name = NEW.name",
      "rehash-secret"),
    after(
      "INSERT ON denial", "UPDATE denial SET until = NEW.until + 20 WHERE id = NEW.id", when: "NEW.id = 'b'",
      "denied-some", "denials-mark"),
    never("INSERT ON consent", when: "NEW.scope = 'a'", "consent", "consented-code"),
    never("INSERT ON identity_link", when: "NEW.issuer = 'google'", "identity-link", "unlink"),
    after("INSERT ON identity_link", "DELETE FROM identity_link WHERE user <> NEW.user", "identity-link"),
    Fault(
      """
      CREATE TRIGGER fault BEFORE INSERT ON identity_link
      BEGIN DELETE FROM identity_link WHERE issuer = NEW.issuer AND (subject = NEW.subject OR user = NEW.user); END
      """, "identity-link", "identity-link-refused", "race-link"),
    never("DELETE ON identity_link", "unlink", "unlinked"),
    after("INSERT ON server_key", "UPDATE server_key SET sealed = x''", "keys"),
    after(
      "INSERT ON server_key",
      "UPDATE server_key SET purpose = CASE purpose WHEN 'pepper' THEN 'signing' ELSE 'pepper' END", "keys-newest",
      "race-key"),
    never("DELETE ON server_key", "keys-retire"),
    after(
      "UPDATE OF removed_at ON server_key",
      "UPDATE server_key SET removed_at = NEW.removed_at + 1 WHERE number = NEW.number", "keys-retire",
      "race-key-retire"),
    Fault(
      """
      DROP TRIGGER audit_is_final;
      CREATE TRIGGER fault AFTER INSERT ON audit BEGIN UPDATE audit SET fields = '[]' WHERE number = NEW.number; END
      """, "audit", "race-audit"),
    never("INSERT ON audit", when: "NEW.event = 'step.end'", "audited"),
    never("INSERT ON audit", when: "NEW.event = 'step.3'", "audited-refused"),
    never("INSERT ON audit", when: "NEW.event = 'step.ended' AND NEW.number = 20", "race-audited"),
    Fault("DELETE FROM schema_version WHERE version = 1", "probe"),
  ]

  private static let devices: [Fault] = [
    after("UPDATE OF name ON device", "UPDATE device SET first_seen_at = NEW.last_seen_at", "devices"),
    after("UPDATE OF name ON device", "UPDATE device SET key_id = NULL", "device-key"),
    after(
      "UPDATE OF counter ON device", "UPDATE device SET counter = 0 WHERE id = NEW.id", "device-counter",
      "device-key-once", "rotate-finding", "grace-finding", "race-finding"),
    after(
      "UPDATE OF verdict ON device", "UPDATE device SET verdict = 'good' WHERE id = NEW.id",
      when: "NEW.verdict LIKE 'refused%'", "finding-refused", "finding-watched", "rotate-finding"),
    never("UPDATE OF verdict ON device", when: "NEW.verdict LIKE 'refused%'", "finding-refused", "finding-watched"),
    after(
      "UPDATE OF is_spent ON code",
      "INSERT OR IGNORE INTO device SELECT user, device, '', '', 0, 0, NULL, NULL, NULL, "
        + "NULL, NULL FROM code WHERE hash = NEW.hash AND device IS NOT NULL", "finding-refused", "device-key-once"),
    never("DELETE ON device", "remove-device", "device-by-key"),
    after(
      "UPDATE OF key_id ON device", "UPDATE device SET key_id = OLD.key_id WHERE user = NEW.user AND id = NEW.id",
      when: "OLD.key_id IS NOT NULL", "device-by-key"),
    Fault(
      """
      DROP INDEX device_key_id;
      CREATE TRIGGER fault AFTER UPDATE OF key_id ON device
      BEGIN UPDATE device SET key_id = key_id || x'00' WHERE user = NEW.user AND id = NEW.id; END
      """, "device-key-once", "device-by-key", "finding-watched", "race-finding"),
    after("UPDATE OF is_spent ON challenge", "UPDATE challenge SET is_spent = 0", "challenge", "race-once"),
    after(
      "UPDATE OF state ON device_code", "UPDATE device_code SET state = 'approved' WHERE hash = NEW.hash",
      when: "NEW.state = 'redeemed'", "device-code", "race-device-code"),
    after(
      "UPDATE OF interval_seconds ON device_code", "UPDATE device_code SET interval_seconds = 5", "device-code-slow"),
    after("INSERT ON device_code", "UPDATE device_code SET expires_at = NEW.expires_at + 1", "device-code-refused"),
    after(
      "UPDATE OF state ON device_code", "UPDATE device_code SET state = 'pending' WHERE hash = NEW.hash",
      when: "NEW.state = 'denied'", "device-code-refused", "user-code"),
    never("DELETE ON code", when: "OLD.is_spent = 0", "unredeemed-user", "unredeemed-device", "unredeemed-many"),
    after(
      "DELETE ON code", "DELETE FROM code", "unredeemed-user", "unredeemed-device", "unredeemed-many",
      "unredeemed-spent"),
    never(
      "UPDATE OF state ON device_code", when: "OLD.state = 'approved' AND NEW.state = 'denied'", "unredeemed-user",
      "unredeemed-device", "unredeemed-many"),
    after(
      "UPDATE OF state ON device_code", "UPDATE device_code SET state = 'denied'",
      when: "OLD.state = 'approved' AND NEW.state = 'denied'", "unredeemed-user", "unredeemed-device",
      "unredeemed-many"),
    after("INSERT ON seen_digest", "DELETE FROM seen_digest", "begin-once", "race-once", "refused-is-not-given"),
    after(
      "UPDATE OF polled_at ON device_code", "UPDATE device_code SET state = 'redeemed' WHERE hash = NEW.hash",
      when: "NEW.state = 'approved'", "held-sign-in"),
    never("INSERT ON device", "begin-device"),
    after(
      "INSERT ON attempt", "UPDATE attempt SET next_at = 0 WHERE key = NEW.key", "attempts", "attempts-several",
      "race-attempts"),
    after(
      "UPDATE OF next_at ON attempt", "UPDATE attempt SET next_at = OLD.next_at WHERE key = NEW.key",
      when: "NEW.count = OLD.count", "attempts-clock"),
    after(
      "UPDATE OF count ON attempt", "UPDATE attempt SET count = 0 WHERE key = NEW.key", when: "NEW.count > 0",
      "attempts-taken-back"),
  ]
}
