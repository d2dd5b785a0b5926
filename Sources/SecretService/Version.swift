internal import CSecret

/// The version of libsecret that this was built with; the library does not tell its own.
public var secretVersion: String { "\(SECRET_MAJOR_VERSION).\(SECRET_MINOR_VERSION).\(SECRET_MICRO_VERSION)" }
