internal import Basics
internal import Glibc
internal import HTTPServer
internal import SecureMemory

/// The mobile auth backend as the lab's identity provider: `mfs-authd` in a process of its own, with a database and keys that are gone
/// with it.
final class LabBackend {
  /// What the gateway takes tokens of.
  let issuer: String
  /// The app that signs in.
  let clientID = "mfs"
  private let program: String
  private let folder: String
  private let variables: [(name: String, value: String)]
  private var server: ChildProcess?
  private var lifeline: PipeEnds?

  /// A name and the password that it signs in with.
  struct User {
    let name: String
    let password: SecureBox
    /// What its profile says.
    let employeeID: String?
  }

  /// Makes the database and starts the server; with port 0 on any free one. Throws what `mfs-authd` says is wrong.
  init(port: UInt16, users: [User]) throws(Failure) {
    program = try Installation.path(of: "mfs-authd")
    folder = try LabFolder.make()
    let port = port == 0 ? try LabBackend.freePort() : port
    issuer = "http://127.0.0.1:\(port)"
    variables = [
      ("PATH", "/usr/bin:/bin"), ("HOME", folder), ("MFS_AUTHD_ISSUER", issuer),
      ("MFS_AUTHD_LISTEN_PORT", String(port)),
      ("MFS_AUTHD_DATABASE", "\(folder)/auth.db"), ("MFS_AUTHD_KEY_FILE", "\(folder)/key"),
      // A lab's passwords are often short.
      ("MFS_AUTHD_PASSWORD_LENGTH", "8"),
    ]
    do throws(Failure) {
      try call(["init"])
      try call(
        ["client", "add", clientID, "--name", "MFS", "--redirect-uri", "http://127.0.0.1/callback"]
          + ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"].flatMap {
            ["--grant", $0]
          })
      for user in users {
        try call(
          ["user", "add", user.name, "--claim", "preferred_username=\(user.name)"]
            + (user.employeeID.map { ["--employee-id", $0] } ?? []), input: user.password)
      }
      try serve()
    } catch {
      stop()
      throw error
    }
  }

  /// Ends the server and removes what it kept.
  func stop() {
    server?.stop(asking: 10_000)
    server = nil
    lifeline = nil
    LabFolder.remove(folder)
  }

  private func serve() throws(Failure) {
    let lifeline = try PipeEnds(), answer = try PipeEnds()
    server = try ChildProcess(
      program, ["mfs-authd", "serve", "--until-stdin-closes"], variables: .only(variables),
      descriptors: [.copy(of: lifeline.reading), .copy(of: answer.writing), .copy(of: 2)])
    self.lifeline = lifeline
    lifeline.closeReading()
    answer.closeWriting()
    var line: [UInt8] = []
    while line.last != 0x0A {
      var byte: UInt8 = 0
      let count = unsafe read(answer.reading, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, line.count < 4_096 else {
        throw Failure(.inputOutput, "mfs-authd did not start", hint: "what it said stands above")
      }
      line.append(byte)
    }
  }

  private func call(_ arguments: [String], input: SecureBox? = nil) throws(Failure) {
    let pipe = try PipeEnds()
    if let input { try unsafe input.bytes.withBytes { bytes throws(Failure) in try unsafe pipe.write(bytes) } }
    pipe.closeWriting()
    let child = try ChildProcess(
      program, ["mfs-authd", "--quiet"] + arguments, variables: .only(variables),
      descriptors: [.copy(of: pipe.reading), .null, .copy(of: 2)])
    guard child.wait() == 0 else {
      throw Failure(
        .inputOutput, "'mfs-authd \(arguments.prefix(2).joined(separator: " "))' failed",
        hint: "what it said stands above")
    }
  }

  // Its tokens name the port, so it must be known before the server starts; whoever takes it meanwhile makes the start fail.
  private static func freePort() throws(Failure) -> UInt16 {
    let server = try Server(options: ServerOptions()) { _ in ServerResponse(status: 503) }
    defer { server.stop() }
    return server.port
  }
}
