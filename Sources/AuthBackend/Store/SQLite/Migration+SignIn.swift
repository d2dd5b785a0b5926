extension Migration {
  /// Version 1: users, clients, families, codes, browser sessions, denials, keys and the audit log.
  static let signInTables = """
    CREATE TABLE user (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL UNIQUE,
      password_hash TEXT,
      claims TEXT NOT NULL,
      is_disabled INTEGER NOT NULL,
      password_changed_at INTEGER,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE client (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      redirect_uris TEXT NOT NULL,
      post_logout_redirect_uris TEXT NOT NULL,
      scopes TEXT NOT NULL,
      grants TEXT NOT NULL,
      is_first_party INTEGER NOT NULL,
      audience TEXT NOT NULL,
      device_policy TEXT NOT NULL,
      attestation TEXT NOT NULL,
      grace_seconds INTEGER NOT NULL,
      properties TEXT NOT NULL,
      is_enabled INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE consent (
      user TEXT NOT NULL,
      client TEXT NOT NULL,
      scope TEXT NOT NULL,
      PRIMARY KEY (user, client, scope)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE family (
      number INTEGER PRIMARY KEY,
      handle BLOB NOT NULL UNIQUE,
      id TEXT NOT NULL UNIQUE,
      user TEXT NOT NULL,
      client TEXT NOT NULL,
      device TEXT,
      scopes TEXT NOT NULL,
      auth_time INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      idle_seconds INTEGER NOT NULL,
      used_at INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      current_pepper INTEGER NOT NULL,
      current_hash BLOB NOT NULL,
      previous_pepper INTEGER,
      previous_hash BLOB,
      sealed BLOB,
      failed_at TEXT,
      ended TEXT,
      ended_at INTEGER
    ) STRICT;
    CREATE INDEX family_user ON family (user) WHERE ended IS NULL;
    CREATE INDEX family_device ON family (device) WHERE ended IS NULL AND device IS NOT NULL;
    CREATE INDEX family_ended_at ON family (ended_at) WHERE ended_at IS NOT NULL;
    CREATE INDEX family_expires_at ON family (expires_at);

    CREATE TABLE spent (
      family INTEGER NOT NULL,
      hash BLOB NOT NULL,
      pepper INTEGER NOT NULL,
      PRIMARY KEY (family, hash, pepper)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE code (
      hash BLOB NOT NULL,
      pepper INTEGER NOT NULL,
      client TEXT NOT NULL,
      redirect_uri TEXT NOT NULL,
      is_redirect_uri_given INTEGER NOT NULL,
      challenge TEXT NOT NULL,
      user TEXT NOT NULL,
      device TEXT,
      scopes TEXT NOT NULL,
      nonce TEXT,
      auth_time INTEGER NOT NULL,
      browser_session TEXT,
      expires_at INTEGER NOT NULL,
      is_spent INTEGER NOT NULL DEFAULT 0,
      family TEXT,
      PRIMARY KEY (hash, pepper)
    ) STRICT;
    CREATE INDEX code_expires_at ON code (expires_at);

    CREATE TABLE browser_session (
      hash BLOB NOT NULL,
      pepper INTEGER NOT NULL,
      id TEXT NOT NULL UNIQUE,
      user TEXT NOT NULL,
      auth_time INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (hash, pepper)
    ) STRICT;
    CREATE INDEX browser_session_user ON browser_session (user);
    CREATE INDEX browser_session_expires_at ON browser_session (expires_at);

    CREATE TABLE denial (id TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX denial_until ON denial (until);

    CREATE TABLE server_key (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      purpose TEXT NOT NULL,
      key_id TEXT NOT NULL,
      algorithm TEXT NOT NULL,
      public_jwk TEXT NOT NULL,
      sealed BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      active_at INTEGER NOT NULL,
      retired_at INTEGER,
      removed_at INTEGER
    ) STRICT;

    CREATE TABLE audit (
      number INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      event TEXT NOT NULL,
      fields TEXT NOT NULL,
      digest BLOB NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit
      WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM audit)
      BEGIN SELECT raise(ABORT, 'the audit log is only appended to'); END;
    CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
      BEGIN SELECT raise(ABORT, 'the audit log is never shortened'); END;
    CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
      BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;
    """
}
