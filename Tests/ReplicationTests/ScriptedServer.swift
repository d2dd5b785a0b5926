import Foundation
import Replication
import SecureMemory
import TestSupport
import Testing

/// A server that answers every request with the same bytes, over TLS when it is given a certificate and its key.
func scriptedServer(
  _ answer: String, then ending: String = "close", certificate: (file: String, key: String)? = nil
) throws -> PythonServer {
  let script = try #require(Bundle.module.url(forResource: "Peer/scripted", withExtension: "py")).path
  return try PythonServer(script: script, arguments: [answer, ending] + (certificate.map { [$0.file, $0.key] } ?? []))
}

func endpoint(_ port: UInt16) throws -> ReplicationEndpoint {
  try #require(ReplicationEndpoint(gateway: "ws://127.0.0.1:\(port)", database: "mfs"))
}

func secret(_ text: String) throws -> SecureBox { SecureBox(try SecureBytes(publicText: text)) }
