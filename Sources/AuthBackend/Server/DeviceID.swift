internal import OAuthHTTP

/// A `device_id`: what an app made up for its device at its first start. It is kept, shown and written down, so that a token, which an app may
/// send by mistake, is none: see ``LogText``.
enum DeviceID {
  static func isValid(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || [0x2D, 0x2E, 0x3A, 0x5F].contains(byte)
      } && !LogText.hasToken(text)
  }

  /// That a `device_id`, where there is one, can be one. Throws `invalid_request`.
  static func check(_ device: String?) throws(OAuthError) {
    guard device.map(isValid) ?? true else {
      throw .invalidRequest("device_id is not one: 1 to 128 of A-Z a-z 0-9 . _ : -, and no token")
    }
  }
}
