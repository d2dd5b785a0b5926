internal import Glibc

/// Numeric addresses as texts.
public enum AddressText {
  /// The one text of a numeric IPv4 or IPv6 address, whichever way it is written (RFC 5952); an IPv4 address that is written as an IPv6
  /// one (RFC 4291 2.5.5.2) is the IPv4 address. Nil for what is no address.
  public static func canonical(_ text: String) -> String? {
    guard var bytes = bytes(of: text) else { return nil }
    if bytes.count == 16, bytes.starts(with: mapped) { bytes.removeFirst(mapped.count) }
    var out = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &out, socklen_t(out.count)) != nil else {
      return nil
    }
    return String(decoding: out.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whom an address belongs to, for limits: itself, or of IPv6 the /64, which one household has whole.
  static func group(_ address: String) -> String {
    guard address.utf8.contains(0x3A), let bytes = bytes(of: address), bytes.count == 16 else { return address }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }

  private static let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The bytes of an IPv4 or IPv6 address, 4 or 16; nil for anything else.
  public static func bytes(of text: String) -> [UInt8]? {
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }
}
