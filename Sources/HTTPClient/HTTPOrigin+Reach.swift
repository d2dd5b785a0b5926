internal import CCurl
internal import Glibc

extension HTTPOrigin {
  /// Where the addresses of a host are.
  public enum Reach: Sendable {
    /// At least one is of the public internet: see ``HTTPClient/Addresses/publicOnly``.
    case isPublic
    /// All are of this machine, of a private network or kept for something else.
    case isPrivate
    /// It has none that can be told.
    case isUnknown
  }

  /// Where this origin's host is: by its address, or with `asking` by what the name service says of its name at this moment, for which
  /// this waits. `localhost` is this machine without being asked for (RFC 6761 6.3).
  public func reach(asking: Bool) -> Reach {
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    if name == "localhost" || name.hasSuffix(".localhost") { return .isPrivate }
    var wanted = unsafe addrinfo()
    unsafe wanted.ai_family = AF_UNSPEC
    unsafe wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe wanted.ai_flags = asking ? 0 : AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(name, nil, &wanted, &list) == 0 else { return .isUnknown }
    defer { unsafe freeaddrinfo(list) }
    var next = unsafe list, reach = Reach.isUnknown
    while let one = unsafe next {
      if unsafe ccurl_is_public(one.pointee.ai_addr) != 0 { return .isPublic }
      reach = .isPrivate
      unsafe next = one.pointee.ai_next
    }
    return reach
  }
}
