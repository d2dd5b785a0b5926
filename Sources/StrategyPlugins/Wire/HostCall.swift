/// What a plugin may ask of the parent. The fields of a request, and those of an answer whose status is
/// ``HostStatus/ok``, stand with each; an answer of any other status has one field, `message` (text).
public enum HostCall: UInt16, Sendable, CaseIterable {
  /// `method` text, `url` text, `headers` list of text or secret, `body` bytes or secret (absent: none).
  /// Answers `status` integer, `headers` list of text (names in lower case, repeated ones kept), `body` bytes.
  /// Redirects are answers, not followed.
  case http = 1
  /// `name` text. Answers `secret`: the value can be used, not read. ``HostStatus/notFound`` when the vault has none.
  case vaultUse = 2
  /// `name` text. Answers `value` bytes; only for names that the manifest lets the plugin read.
  case vaultRead = 3
  /// `text` text, `secret` boolean. Answers `text` text, or `secret` when the question was secret, and `empty` boolean.
  case prompt = 4
  /// Nothing. Answers `wall` instant and `monotonic` integer, nanoseconds.
  case clock = 5
  /// `count` integer, 1 to 4,096. Answers `bytes` bytes.
  case random = 6
  /// `bytes` bytes. Answers `secret`: the parent keeps them from here on.
  case secretNew = 7
  /// `parts` list of text or secret (the names do not count). Answers `secret`: the parts one after the other.
  case secretJoin = 8
  /// `identifier` text or secret, `password` secret. Answers `secret`: `Basic ` and the credentials of RFC 7617.
  case secretBasic = 9
  /// `fields` list of text or secret. Answers `secret`: the fields as `application/x-www-form-urlencoded`.
  case secretForm = 10
  /// `values` list of secret, bytes or instant, by name. Answers nothing, once they are durable; ``HostStatus/notFound``
  /// when the sign-in has ended.
  case vaultStore = 11
  /// `text` text. Answers nothing.
  case promptShow = 12
  /// `seconds` integer, 0 to 600. Answers nothing, when they are over.
  case wait = 13
  /// `url` text, `parameters` list of text, `response` text (`query` or `fragment`), `redirect` text (`own` or `given`),
  /// `browser` text (`required` or `preferred`; ``HostStatus/notFound`` when it is required and there is none).
  /// Answers `parameters` list of text and secret, `redirectURI` text, and `codeVerifier` secret where there was a challenge.
  case browserAuthorize = 14
  /// `url` text, `parameters` list of text or secret. Answers `opened` boolean.
  case browserOpen = 15
  /// Nothing. Answers `metadata` text.
  case oidcDiscover = 16
  /// `token` secret or bytes, `clientID` text, `source` text, and optional `nonce` text, `accessToken` secret or bytes,
  /// `code` secret, `subject` text. Answers `claims` text and `expiresAt` instant.
  case oidcVerify = 17
}

/// How the parent answered a ``HostCall``. The numbers are those of `mfs_status` in the C header.
public enum HostStatus: UInt32, Sendable, CaseIterable {
  /// Done.
  case ok = 0
  /// The manifest does not declare it or the user did not grant it.
  case denied = 1
  /// The user cancelled; end now.
  case cancelled = 2
  /// The deadline has passed, or the server took too long.
  case timeout = 3
  /// The server could not be reached: no such host, refused, cut off.
  case network = 4
  /// There is no such thing.
  case notFound = 5
  /// There is nobody to ask.
  case nobody = 6
  /// The answer is larger than the parent accepts.
  case tooLarge = 7
  /// The request itself is wrong: a field is missing, of another kind or out of range.
  case badArgument = 8
  /// The server could not be trusted (TLS).
  case untrusted = 9
  /// The server did not speak HTTP.
  case protocolViolation = 10
  /// A fault of the parent's.
  case `internal` = 11
}

/// How much a line of a plugin's log matters.
public enum WireLogLevel: UInt8, Sendable, CaseIterable {
  /// For whoever debugs the plugin.
  case debug = 1
  /// Worth knowing.
  case info = 2
  /// Something is not as it should be.
  case warning = 3
  /// Something failed.
  case error = 4
}
