internal import Basics
public import SecureMemory

/// One HTTP request (RFC 9110). What is secret in it stays in guarded memory until libcurl sends it, and is wiped after.
public struct HTTPRequest {
  /// What is to be done with the resource.
  public enum Method: String, Sendable, CaseIterable {
    /// Fetch it.
    case get = "GET"
    /// Fetch its headers.
    case head = "HEAD"
    /// Have it process the body.
    case post = "POST"
    /// Replace it.
    case put = "PUT"
    /// Change it.
    case patch = "PATCH"
    /// Remove it.
    case delete = "DELETE"
  }

  /// One header field.
  public struct Field {
    /// Its value.
    public enum Value {
      /// A value that anyone may see.
      case text(String)
      /// A secret.
      case secret(SecureBox)
    }

    /// Its name, a token of RFC 9110 5.6.2.
    public let name: String
    /// Its value, without line ends or other control bytes.
    public let value: Value

    /// A field that anyone may see.
    public init(_ name: String, _ text: String) {
      self.name = name
      self.value = .text(text)
    }

    /// A field with a secret value.
    public init(_ name: String, secret: SecureBox) {
      self.name = name
      self.value = .secret(secret)
    }
  }

  /// The method.
  public var method: Method
  /// Where it goes.
  public var url: HTTPURL
  /// A secret that is added to the URL's query, encoded already (RFC 3986 3.4); nil for none. A server may write it down: only
  /// for one that takes it nowhere else.
  public var query: SecureBox?
  /// The header fields in order. `Host`, `User-Agent` and those of the connection and the message's frame are the client's.
  public var fields: [Field]
  /// The body; nil for none. A POST, PUT or PATCH without one is sent with `Content-Length: 0`.
  public var body: SecureBox?
  /// The most milliseconds the whole exchange may take; nil for the client's.
  public var timeout: Int?

  /// A request.
  public init(
    _ method: Method, _ url: HTTPURL, fields: [Field] = [], body: SecureBox? = nil, timeout: Int? = nil
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.timeout = timeout
  }
}

extension HTTPRequest.Field {
  /// The line `Name: value`, without its end.
  func line() throws(HTTPFailure) -> SecureBuffer {
    guard FieldSyntax.isName(name), !FieldSyntax.isOwn(name) else {
      throw HTTPFailure(.request, "'\(OutsideText.clean(name, limit: 60))' cannot be sent as a header")
    }
    do throws(Failure) {
      let buffer = try SecureBuffer(limit: 64 << 10)
      var fits = try buffer.append(publicText: name + ": ")
      switch value {
      case .text(let text): fits = try buffer.append(publicText: text) && fits
      case .secret(let secret): fits = try buffer.append(secret.bytes) && fits
      }
      guard fits else { throw Failure(.usage, "the header \(name) is too long to be sent") }
      let isClean = unsafe buffer.withBytes { unsafe $0.allSatisfy(FieldSyntax.isValueByte) }
      guard isClean else { throw Failure(.usage, "the header \(name) has a control character in its value") }
      return buffer
    } catch { throw HTTPFailure(.request, error.message) }
  }
}

/// What RFC 9110 lets stand in a header field.
enum FieldSyntax {
  /// The fields of a request, in lower case, that speak of the connection or the message's frame and not of the request:
  /// they are the client's alone. RFC 9110 7.6.1 has the list; the others are 7.2, 8.6, 10.1.1 and 11.7.
  static let own: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
    "host", "content-length", "expect", "max-forwards", "via", "user-agent",
  ]

  /// Whether a field is the client's alone, all that proxies are told among them.
  static func isOwn(_ name: String) -> Bool {
    let name = name.lowercased()
    return own.contains(name) || name.hasPrefix("proxy-")
  }

  /// Whether a name is a token.
  static func isName(_ name: String) -> Bool {
    name.utf8.count <= 128 && HTTPToken.isValid(name)
  }

  /// Whether a byte may stand in a value: no control byte but the tab.
  static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
