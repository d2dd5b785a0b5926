import Foundation
import TestSupport
import Testing

/// `mfs-authd` with a folder, a database, one user and one client of its own.
final class Daemon {
  static let password = "correct horse battery staple"
  static let user = "alice@example.com"

  struct Broken: Error, CustomStringConvertible { let description: String }

  let sandbox: Sandbox
  private(set) var process: Background?
  private(set) var origin = ""
  private(set) var metrics = ""
  private let variables: [String: String]

  /// Makes the database; nothing runs yet. `settings` are lines of the configuration file.
  init(_ settings: [String] = [], variables: [String: String] = [:]) throws {
    sandbox = try Sandbox()
    self.variables = variables
    let lines = [
      "MFS_AUTHD_ISSUER: http://127.0.0.1:8480", "MFS_AUTHD_LISTEN_PORT: 0", "MFS_AUTHD_DATABASE: data/auth.db",
      "MFS_AUTHD_KEY_FILE: auth.key", "MFS_AUTHD_METRICS_PORT: 0", "MFS_AUTHD_TOKENS_PER_CLIENT: 1000000",
      "MFS_AUTHD_AUTHORIZATIONS_PER_CLIENT: 1000000", "MFS_AUTHD_CALLS_PER_ADDRESS: 1000000",
    ]
    let names = Set(settings.compactMap { $0.split(separator: ":").first })
    let all = lines.filter { !names.contains($0.split(separator: ":")[0]) } + settings
    try sandbox.write("config.yaml", all.joined(separator: "\n") + "\n", mode: 0o600)
    try sandbox.write("password", Daemon.password, mode: 0o600)
    try admin("init")
    try admin("user", "add", Daemon.user, "--password-file", "password", "--claim", "name=Alice")
    try admin("client", "add", "mobile", "--redirect-uri", "com.example.app:/oauth/callback")
  }

  /// Runs a command, which must end with `status`.
  @discardableResult
  func admin(_ words: String..., status: Int32 = 0, database: String? = nil) throws -> RunResult {
    try admin(words, status: status, database: database)
  }

  @discardableResult
  func admin(_ words: [String], status: Int32 = 0, database: String? = nil) throws -> RunResult {
    var environment = variables
    if let database { environment["MFS_AUTHD_DATABASE"] = database }
    let result = try run(
      ["mfs-authd", "--config", "config.yaml"] + words, in: sandbox, environment: environment)
    guard result.status == status else {
      throw Broken(description: "\(words) ended with \(result.status), not \(status)\n\(result.errorText)")
    }
    return result
  }

  /// Starts the server, as the program behind `wrapper`, and waits until it can be reached.
  func serve(database: String? = nil, under wrapper: [String] = []) throws {
    var environment = variables
    if let database { environment["MFS_AUTHD_DATABASE"] = database }
    let process = try Background(
      wrapper + ["mfs-authd", "--config", "config.yaml", "serve"], in: sandbox, environment: environment)
    let line = process.text { $0.hasSuffix("\n") }
    guard let ready = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let listen = ready["listen"] as? String
    else { throw Broken(description: "it printed '\(line)'\n\(process.errorText)") }
    (self.process, origin, metrics) = (process, listen, ready["metrics"] as? String ?? "")
  }

  /// Sends SIGTERM and returns how it ended, with its log.
  func stop() throws -> (status: Int32, log: String) {
    guard let process else { throw Broken(description: "nothing runs") }
    process.send(SIGTERM)
    let status = process.wait()
    self.process = nil
    return (status, process.errorText)
  }

  /// Waits for its end, which something else brings; how it ended.
  func wait() -> Int32? {
    defer { process = nil }
    return process?.wait()
  }

  /// Kills it.
  func kill() {
    process?.send(SIGKILL)
    _ = process?.wait()
    process = nil
  }

  /// What the server has logged so far.
  var log: String { process?.errorText ?? "" }

  /// A part of a log as JSON objects, one for each line.
  static func lines(_ log: String) throws -> [[String: Any]] {
    try log.split(separator: "\n").map { line in
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw Broken(description: "no object: \(line)")
      }
      return object
    }
  }

  /// Where a program of the folder Peer is.
  static func peer(_ name: String) -> String { Programs.checkout + "/Tests/AuthDaemonTests/Peer/" + name }

  /// Runs the app to its end and reads what it printed.
  func app(_ words: String...) throws -> [String: Any] { try app(words) }

  func app(_ words: [String]) throws -> [String: Any] {
    let result = try run(["/usr/bin/python3", Daemon.peer("app.py")] + words, in: sandbox)
    guard result.status == 0, let object = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    else {
      throw Broken(description: "the app ended with \(result.status)\n\(result.errorText)")
    }
    return object
  }

  /// A sign-in of the user.
  func signIn(device: String? = nil) throws -> SignIn {
    let words = ["/usr/bin/python3", Daemon.peer("app.py"), "sign-in", origin, Daemon.user, "password"]
    let result = try run(words + (device.map { [$0] } ?? []), in: sandbox)
    guard result.status == 0 else { throw Broken(description: result.errorText + log) }
    return try JSONDecoder().decode(SignIn.self, from: result.output)
  }

  /// Status and error of one refresh.
  func refresh(_ token: String, device: String? = nil) throws -> (status: Int, error: String?, next: String?) {
    try sandbox.write("token", token, mode: 0o600)
    let answer = try app(["refresh", origin, "token"] + (device.map { [$0] } ?? []))
    let body = answer["answer"] as? [String: Any] ?? [:]
    return (answer["status"] as? Int ?? 0, body["error"] as? String, body["refresh_token"] as? String)
  }

  /// Fetches an address of the server's or its metrics'.
  func get(_ url: String, _ options: String...) throws -> RunResult {
    try run(["curl", "--silent", "--show-error", "--max-time", "10"] + options + [url], in: sandbox)
  }
}

/// What the app has after a sign-in.
struct SignIn: Decodable {
  struct Tokens: Decodable {
    let access_token: String
    let refresh_token: String
    let id_token: String
  }
  let tokens: Tokens
  let sid: String
  let sub: String
  let code: String
  let verifier: String
  let state: String
  let cookies: [String: String]
}
