import AuthBackend
import Basics
import Foundation
import Glibc
import HTTPTestSupport
import Testing

/// Keys of providers are fetched at addresses that are anybody's, unless the host is listed: over https too.
@Suite("addresses of providers' keys") struct ProviderAddressTests {
  /// Takes connections, closes each at once, and counts them.
  private final class Listener: Sendable {
    let port: UInt16
    private let socket: Int32
    private let count = Monitor(0)
    private let thread: Basics.Thread

    init() throws {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(bigEndian: 0x7F00_0001)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
        }
      }
      try #require(isBound)
      (self.socket, port) = (socket, UInt16(bigEndian: address.sin_port))
      let count = count
      thread = try Basics.Thread {
        while true {
          let one = accept(socket, nil, nil)
          guard one >= 0 else { return }
          count.withLock { $0 += 1 }
          close(one)
        }
      }
    }

    /// How many there were; none is taken any more.
    func stop() -> Int {
      shutdown(socket, Int32(SHUT_RDWR))
      thread.join()
      close(socket)
      return count.withLock { $0 }
    }
  }

  @Test(arguments: ["127.0.0.1", "localhost"], [false, true])
  func aPrivateAddressIsNotConnectedToUnlessListed(host: String, isListed: Bool) throws {
    let listener = try Listener()
    let fixture = try FlowFixture {
      $0.privateHosts = isListed ? [host] : ["other.example"]
      $0.identityProviders = [
        IdentityProvider(
          name: "maker", issuers: [ProviderDouble.issuer], keysURL: "https://\(host):\(listener.port)/keys")
      ]
    }
    let answer = try fixture.token(
      Flow.exchangeGrant,
      [
        ("subject_token", try fixture.provider.token()), ("subject_token_type", NativeSignInTests.idTokenType),
        ("nonce", "n-1"),
      ])
    let connections = listener.stop()
    #expect(answer.status == 503 && answer.fault == "temporarily_unavailable")
    #expect(isListed ? connections > 0 : connections == 0, "\(connections) connections")
    // No client learns where the keys would be.
    #expect(!answer.text.contains(host) && !answer.text.contains(String(listener.port)))
  }
}
