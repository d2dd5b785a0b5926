internal import CYAML

/// The version of libyaml in use.
public var yamlVersion: String { unsafe String(cString: yaml_get_version_string()) }
