import Foundation
import TestSupport
import Testing

/// Secrets that systemd hands over as credentials: files of mode 0440 in a folder that it names.
@Suite struct CredentialTests {
  private static let secrets = ["auth.key", "tls.key", "com.example.app.decryption-key"]

  /// A server with every secret that it can have in one folder, which is said to be that of credentials.
  private func daemon() throws -> Daemon {
    let daemon = try Daemon(variables: ["CREDENTIALS_DIRECTORY": "credentials"])
    let made = try run(
      [
        "sh", "-ec",
        """
        mkdir credentials; mv auth.key credentials/
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout credentials/tls.key \
          -out cert.pem -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1
        openssl rand -base64 32 > credentials/com.example.app.decryption-key
        openssl pkey -in credentials/tls.key -pubout -outform DER | base64 -w0 > credentials/com.example.app.verification-key
        """,
      ], in: daemon.sandbox)
    #expect(made.status == 0, "\(made.errorText)")
    try daemon.sandbox.write(
      "config.yaml",
      """
      MFS_AUTHD_ISSUER: https://127.0.0.1:8480
      MFS_AUTHD_LISTEN_PORT: 0
      MFS_AUTHD_DATABASE: data/auth.db
      MFS_AUTHD_KEY_FILE: credentials/auth.key
      MFS_AUTHD_TLS_CERTIFICATE: cert.pem
      MFS_AUTHD_TLS_KEY: credentials/tls.key
      MFS_AUTHD_PLAY_INTEGRITY_FOLDER: credentials
      MFS_AUTHD_PLAY_INTEGRITY_PACKAGES: [com.example.app]

      """, mode: 0o600)
    return daemon
  }

  private func set(_ daemon: Daemon, _ mode: Int, _ names: [String] = secrets) throws {
    for name in names {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: daemon.sandbox("credentials/" + name))
    }
  }

  @Test(arguments: [0o400, 0o440]) func eachSecretMayBeOne(mode: Int) throws {
    let daemon = try daemon()
    try set(daemon, mode)
    try daemon.serve()
    #expect(try daemon.get(daemon.origin + "/readyz", "--cacert", "cert.pem").text == "ready\n")
    // Read again, it is still one.
    let process = try #require(daemon.process)
    process.send(SIGHUP)
    #expect(process.errorText { $0.contains("\"tls.") }.contains("\"tls.read\""), "\(process.errorText)")
    #expect(try daemon.stop().status == 0)
    try daemon.sandbox.write("credentials/new", "a password of the operator's", mode: mode)
    try daemon.admin("user", "password", Daemon.user, "--password-file", "credentials/new")
  }

  @Test func whatOthersCanReadIsNone() throws {
    let daemon = try daemon()
    for name in CredentialTests.secrets {
      for mode in [0o444, 0o460] {
        try set(daemon, 0o440)
        try set(daemon, mode, [name])
        let refused = try daemon.admin("serve", status: 40)
        #expect(refused.errorText.contains(name) && refused.errorText.contains("others can get at"))
      }
    }
    // Where nobody hands anything over, a file is as strict as any.
    try set(daemon, 0o400)
    for name in CredentialTests.secrets {
      try set(daemon, 0o440, [name])
      let refused = try run(["mfs-authd", "--config", "config.yaml", "serve"], in: daemon.sandbox)
      #expect(refused.status == 40 && refused.errorText.contains(name), "\(refused.errorText)")
      try set(daemon, 0o400, [name])
    }
  }
}
