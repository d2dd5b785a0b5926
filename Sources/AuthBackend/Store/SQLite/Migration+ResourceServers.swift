extension Migration {
  /// Version 4: resource servers, which may ask about access tokens.
  static let resourceServerTables = """
    CREATE TABLE resource_server (
      name TEXT PRIMARY KEY,
      audience TEXT NOT NULL,
      pepper INTEGER NOT NULL,
      hash BLOB NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
