internal import CSodium

/// The version of libsodium in use.
public var sodiumVersion: String { unsafe String(cString: sodium_version_string()) }
