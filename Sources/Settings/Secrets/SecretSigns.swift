/// By what a secret gives itself away: words in its name, or the form of its value. Randomness is no sign, since ids
/// and digests look random too.
enum SecretSigns {
  // Words that name a secret, alone or as the end of a longer one (DBPASSWORD).
  private static let words = [
    "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "SECRET", "SECRETS", "TOKEN", "TOKENS", "CREDENTIAL", "CREDENTIALS",
    "APIKEY", "PRIVATEKEY", "ACCESSKEY", "DBKEY",
  ].map { Array($0.utf8) }
  // Two words that do so together.
  private static let pairs = [
    ("PRIVATE", "KEY"), ("API", "KEY"), ("ACCESS", "KEY"), ("SIGNING", "KEY"), ("ENCRYPTION", "KEY"),
    ("MASTER", "KEY"), ("AUTH", "KEY"), ("SERVICE", "ROLE"), ("DB", "KEY"), ("DB", "PWD"), ("USER", "PWD"),
    ("DB", "PASS"), ("USER", "PASS"), ("SMTP", "PASS"), ("MAIL", "PASS"),
  ].map { (Array($0.utf8), Array($1.utf8)) }
  // Last words of names that speak about a secret without being one: TOKEN_ENDPOINT, PASSWORD_MIN_LENGTH.
  private static let about = [
    "URL", "URI", "ENDPOINT", "HOST", "PATH", "ISSUER", "AUDIENCE", "LENGTH", "LEN", "MIN", "MAX", "SIZE", "COUNT",
    "LIMIT", "TTL", "SEC", "SECS", "SECONDS", "MS", "MINUTES", "HOURS", "DAYS", "EXPIRY", "LIFETIME", "TIMEOUT", "SKEW",
    "ENABLED", "DISABLED", "REQUIRED", "MODE", "TYPE", "KIND", "POLICY", "PATTERN", "LABEL", "PLACEHOLDER", "HEADER",
    "NAME", "FORMAT", "ALGORITHM", "ALG", "SCOPE", "SCOPES", "STRATEGY", "PROVIDER",
  ].map { Array($0.utf8) }

  // The same joined, backwards, for what lost the signs between its letters.
  private static let joined: [[UInt8]] = words.map { $0.reversed() } + pairs.map { ($0.0 + $0.1).reversed() }

  /// Whether letters and digits, the last one first and in upper case, end in the name of a secret.
  static func endsInSecret(reversed letters: [UInt8]) -> Bool { joined.contains { letters.starts(with: $0) } }

  /// Whether text can hold the name of a secret at all: each of them has one of a few beginnings in it. What stands
  /// between letters does not count.
  static func mayName(_ text: some Collection<UInt8>) -> Bool {
    var last: (UInt8, UInt8) = (0, 0)
    for byte in text where Byte.isLetter(byte) {
      let letter = byte & 0xDF
      switch (last.0, last.1, letter) {
      // PAS, ECR, TOK, CRE, KEY, ROL, PWD
      case (0x50, 0x41, 0x53), (0x45, 0x43, 0x52), (0x54, 0x4F, 0x4B), (0x43, 0x52, 0x45), (0x4B, 0x45, 0x59),
        (0x52, 0x4F, 0x4C), (0x50, 0x57, 0x44):
        return true
      default: last = (last.1, letter)
      }
    }
    return false
  }

  /// Whether text can be a secret by its form at all.
  static func mayBeKind(_ text: ArraySlice<UInt8>) -> Bool {
    text.contains(0x40) || hasToken(Array(text)) || SecretKeyForm.all.contains { $0.matches(text) }
  }

  /// Whether a name is that of a secret. Its words are letters and digits; a number at the end of one says nothing.
  static func isSecret(name: String) -> Bool {
    guard mayName(name.utf8) else { return false }
    let bytes = name.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    let parts = bytes.split { $0 < 0x80 && !URLReference.isLetter($0) && !URLReference.isDigit($0) }.map { part in
      let end = part.lastIndex { !URLReference.isDigit($0) }
      return end.map { part[...$0] } ?? part
    }
    guard let last = parts.last, !about.contains(where: { $0[...] == last }) else { return false }
    if parts.contains(where: { part in words.contains { part.suffix($0.count) == $0[...] } }) {
      return true
    }
    return zip(parts, parts.dropFirst()).contains { first, second in
      pairs.contains { first == $0.0[...] && second == $0.1[...] }
    }
  }

  /// What kind of secret a value looks like, with an article; nil when it looks like none.
  static func kind(of value: String) -> String? {
    let bytes = Array(value.utf8.prefix(16_384))
    guard bytes.count >= 8 else { return nil }
    if contains(bytes, "-----BEGIN "), contains(bytes, "PRIVATE KEY") { return "a private key" }
    if hasToken(bytes) { return "a JSON Web Token" }
    var word = bytes[...]
    for scheme in ["Bearer ", "bearer ", "Basic ", "basic "] where word.starts(with: scheme.utf8) {
      word = word.dropFirst(scheme.utf8.count)
    }
    if let key = SecretKeyForm.all.first(where: { $0.matches(word) }) { return key.kind }
    return hasPassword(bytes) ? "a URL with a password" : nil
  }

  /// Whether `//user:password@` stands anywhere. Not asked of a URL that was parsed: one whose password has a character that
  /// should have been escaped is none, and would be shown for that.
  private static func hasPassword(_ bytes: [UInt8]) -> Bool {
    func ends(_ byte: UInt8) -> Bool { byte <= Byte.space || Byte.isQuote(byte) || byte == 0x3C || byte == 0x3E }
    func endsPort(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x3F || byte == Byte.hash }
    var index = 0
    while index + 2 < bytes.count {
      guard bytes[index] == 0x2F, bytes[index + 1] == 0x2F else {
        index += 1
        continue
      }
      let user = bytes[(index + 2)...].prefix {
        $0 != Byte.colon && $0 != 0x40 && $0 != 0x5B && !endsPort($0) && !ends($0)
      }
      index = user.endIndex
      guard index < bytes.count, bytes[index] == Byte.colon else { continue }
      // `//host:8080/@scope` has a port and a path.
      let port = bytes[(index + 1)...].prefix(while: URLReference.isDigit)
      if port.endIndex == bytes.count || endsPort(bytes[port.endIndex]) { continue }
      guard let end = bytes[index...].firstIndex(where: { $0 == 0x40 || ends($0) }) else { return false }
      if bytes[end] == 0x40, end > index + 1 { return true }
      index = end
    }
    return false
  }

  // A JWS of three parts or a JWE of five (RFC 7515, 7516), anywhere: each begins with a base64url JSON object, `eyJ`.
  private static func hasToken(_ bytes: [UInt8]) -> Bool {
    var index = 0
    while index + 20 <= bytes.count {
      defer { index += 1 }
      guard bytes[index] == 0x65, bytes[index + 1] == 0x79, bytes[index + 2] == 0x4A else { continue }
      if index > 0, isTokenByte(bytes[index - 1]) { continue }
      let token = bytes[index...].prefix { isTokenByte($0) || $0 == 0x2E }
      let parts = token.split(separator: 0x2E, omittingEmptySubsequences: false)
      if parts.count == 3 || parts.count == 5, parts[0].count >= 10, parts[parts.count - 2].count >= 2 { return true }
      index += token.count
    }
    return false
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    URLReference.isLetter(byte) || URLReference.isDigit(byte) || byte == 0x2D || byte == 0x5F
  }

  private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return false }
    return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
  }
}
