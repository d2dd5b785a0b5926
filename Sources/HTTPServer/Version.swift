internal import CMicroHTTPD

/// The version of libmicrohttpd in use.
public var microHTTPDVersion: String { unsafe String(cString: MHD_get_version()) }
