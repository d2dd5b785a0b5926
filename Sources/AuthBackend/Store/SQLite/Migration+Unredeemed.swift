extension Migration {
  /// Version 4: ways to find what was granted to a user and not redeemed yet.
  static let unredeemedIndexes = """
    CREATE INDEX code_unredeemed ON code (user) WHERE is_spent = 0;
    CREATE INDEX device_code_approved ON device_code (user) WHERE state = 'approved';
    """
}
