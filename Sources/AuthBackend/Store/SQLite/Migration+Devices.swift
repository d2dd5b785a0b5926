extension Migration {
  /// Version 2: devices, challenges, device codes, digests that are good once, and attempts.
  static let deviceTables = """
    CREATE TABLE device (
      user TEXT NOT NULL,
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      platform TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      key_id BLOB,
      public_key BLOB,
      counter INTEGER,
      verdict TEXT,
      verdict_at INTEGER,
      PRIMARY KEY (user, id)
    ) STRICT;

    CREATE TABLE challenge (
      value BLOB PRIMARY KEY,
      client TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      is_spent INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX challenge_expires_at ON challenge (expires_at);

    CREATE TABLE device_code (
      hash BLOB NOT NULL,
      pepper INTEGER NOT NULL,
      user_code TEXT NOT NULL,
      client TEXT NOT NULL,
      device TEXT,
      scopes TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      interval_seconds INTEGER NOT NULL,
      polled_at INTEGER,
      state TEXT NOT NULL,
      user TEXT,
      auth_time INTEGER,
      lookups INTEGER NOT NULL,
      PRIMARY KEY (hash, pepper)
    ) STRICT;
    CREATE INDEX device_code_user_code ON device_code (user_code) WHERE state = 'pending';
    CREATE INDEX device_code_expires_at ON device_code (expires_at);

    CREATE TABLE seen_digest (digest BLOB PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX seen_digest_until ON seen_digest (until);

    CREATE TABLE attempt (
      key TEXT PRIMARY KEY,
      count INTEGER NOT NULL,
      next_at INTEGER NOT NULL,
      forget_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attempt_forget_at ON attempt (forget_at);
    """
}
