extension Migration {
  /// Version 3: identity links, which stood among the consents before: of a subject there was a consent of `identity/SUBJECT` for
  /// `identity-provider/ISSUER` with the user as its scope, and of the user one with the subject. The latter alone is half a link, made by a
  /// sign-in that was cut off; it counts where it is the only one.
  /// And ways to find the families of a client, and a device by its attested key.
  static let identityLinkTables = """
    CREATE TABLE identity_link (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      user TEXT NOT NULL,
      linked_at INTEGER NOT NULL,
      PRIMARY KEY (issuer, subject),
      UNIQUE (user, issuer)
    ) STRICT, WITHOUT ROWID;

    INSERT OR IGNORE INTO identity_link (issuer, subject, user, linked_at)
      SELECT substr(client, 19), substr(user, 10), scope, unixepoch() FROM consent
      WHERE client GLOB 'identity-provider/*' AND user GLOB 'identity/*' ORDER BY user, client, scope;
    INSERT OR IGNORE INTO identity_link (issuer, subject, user, linked_at)
      SELECT substr(client, 19), min(scope), user, unixepoch() FROM consent
      WHERE client GLOB 'identity-provider/*' AND user NOT GLOB 'identity/*'
      GROUP BY user, client HAVING count(*) = 1;
    CREATE INDEX family_client ON family (client) WHERE ended IS NULL;
    CREATE INDEX device_key_id ON device (key_id) WHERE key_id IS NOT NULL;

    DELETE FROM consent WHERE client GLOB 'identity-provider/*';
    """
}
