import Basics
import Settings

/// Files of a stack from their texts, lowest first.
func stack(_ files: (String, String)..., dialect: Dialect = .expo) -> [EnvFile] {
  files.map { EnvFile(name: $0.0, bytes: Array($0.1.utf8), dialect: dialect) }
}

/// What a stack resolves to, with the catalog's defaults left out.
func values(
  _ files: [EnvFile], dialect: Dialect = .expo, environment: [String: String] = [:]
) throws -> [String: String] {
  let resolution = try Resolution(
    files, mode: "development", dialect: dialect, catalog: Catalog(file: "none"),
    environment: Environment(environment))
  return Dictionary(uniqueKeysWithValues: resolution.values.map { ($0.key, $0.value) })
}

/// What one file resolves to.
func values(_ text: String, environment: [String: String] = [:]) throws -> [String: String] {
  try values(stack((".env", text)), environment: environment)
}

/// What a linter with an empty catalog finds in one file, unknown keys left out.
func findings(
  _ bytes: [UInt8], catalog: Catalog = Catalog(file: "none"), dialect: Dialect = .expo, mode: String = "development"
) throws -> [Finding] {
  let file = EnvFile(name: ".env", bytes: bytes, dialect: dialect)
  let options = LintOptions(dialect: dialect, severities: [.unknownKey: .off])
  return try Linter(catalog: catalog, options: options).lint(stack: [file], modes: [mode]).findings
}

func findings(
  _ text: String, catalog: Catalog = Catalog(file: "none"), dialect: Dialect = .expo, mode: String = "development"
) throws -> [Finding] {
  try findings(Array(text.utf8), catalog: catalog, dialect: dialect, mode: mode)
}

extension Finding {
  /// The place as `line:column-endLine:endColumn`; `-` for none.
  var place: String {
    range.map { "\($0.line):\($0.column)-\($0.endLine):\($0.endColumn)" } ?? "-"
  }
}
