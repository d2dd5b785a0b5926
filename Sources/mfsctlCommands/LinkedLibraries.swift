internal import SecureMemory
internal import YAML

/// The C libraries that both executables link, with the versions in use.
func linkedLibraries() -> [(name: String, version: String)] {
  [("libsodium", sodiumVersion), ("libyaml", yamlVersion)]
}
