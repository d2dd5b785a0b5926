internal import CCurl

/// The version of libcurl in use, with that of its TLS library.
public var curlVersion: String {
  // "libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 ..."
  let words = unsafe String(cString: curl_version()).split(separator: " ")
  return words.first.map { "\($0.drop { $0 != "/" }.dropFirst()) (\(words.dropFirst().first ?? "no TLS"))" } ?? ""
}
