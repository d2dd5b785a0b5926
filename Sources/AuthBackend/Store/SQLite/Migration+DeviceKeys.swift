extension Migration {
  /// Also version 4: an attested key is one device's. Where several had one, it stays with the one whose counter rose the most, and the others
  /// bring a new key at their next sign-in.
  static let deviceKeys = """
    UPDATE device SET key_id = NULL, public_key = NULL, counter = NULL WHERE key_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM device other WHERE other.key_id = device.key_id
        AND (other.counter, other.last_seen_at, other.rowid) > (device.counter, device.last_seen_at, device.rowid));
    DROP INDEX device_key_id;
    CREATE UNIQUE INDEX device_key_id ON device (key_id) WHERE key_id IS NOT NULL;
    """
}
