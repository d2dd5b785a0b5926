internal import CBuildInfo
internal import CommandLine
internal import HTTPClient
internal import HTTPServer
internal import SecureMemory
internal import YAML

/// The version; that of the toolkit.
let versionNumber = MFS_VERSION

/// What `--version` says.
var programVersion: ProgramVersion {
  ProgramVersion(
    program: "mfs-authd", version: versionNumber, commit: unsafe String(cString: build_info_commit()),
    libraries: [
      ("libsodium", sodiumVersion), ("libyaml", yamlVersion), ("libcurl", curlVersion),
      ("libmicrohttpd", microHTTPDVersion),
    ])
}
