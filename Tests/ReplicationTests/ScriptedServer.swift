import Foundation
import Replication
import SecureMemory
import TestSupport
import Testing

/// A server that answers every request with the same bytes.
func scriptedServer(_ answer: String, then ending: String = "close") throws -> PythonServer {
  let script = try #require(Bundle.module.url(forResource: "Peer/scripted", withExtension: "py")).path
  return try PythonServer(script: script, arguments: [answer, ending])
}

func endpoint(_ port: UInt16) throws -> ReplicationEndpoint {
  try #require(ReplicationEndpoint(gateway: "ws://127.0.0.1:\(port)", database: "mfs"))
}

func secret(_ text: String) throws -> SecureBox { SecureBox(try SecureBytes(publicText: text)) }
