import Foundation

/// A server without TLS, to be asked with it. It takes all that was sent before it answers, and lets the client close: a server
/// that closes with bytes unread resets the connection, and then its answer may be lost on the way.
public final class PlainServer: Sendable {
  private let server: PythonServer
  /// The port on 127.0.0.1.
  public var port: UInt16 { server.port }

  /// Starts it.
  public init(in sandbox: Sandbox) throws {
    let script = sandbox("plain-server.py")
    try Data(PlainServer.program.utf8).write(to: URL(fileURLWithPath: script))
    server = try PythonServer(script: script)
  }

  private static let program = """
    import socket, threading
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    def serve(client):
        with client:
            if client.recv(65536):
                client.sendall(b"HTTP/1.1 400 Bad Request\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
                while client.recv(65536): pass
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    """
}
