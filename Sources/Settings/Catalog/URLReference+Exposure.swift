extension URLReference {
  /// Who can read what is sent to a host in the clear.
  enum Exposure {
    /// Nobody else: this machine, or the host of an Android emulator.
    case thisMachine
    /// Those on the same network: RFC 1918, link-local, unique local addresses, `*.local`.
    case privateNetwork
    /// Anyone on the way.
    case everywhere
  }

  /// Whether traffic to it is in the clear.
  var isClear: Bool { scheme == "ws" || scheme == "http" }

  var exposure: Exposure {
    switch host {
    case .name(let name):
      let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
      if bare == "localhost" { return .thisMachine }
      return bare.hasSuffix(".local") ? .privateNetwork : .everywhere
    case .v4(let address): return URLReference.exposure(v4: address)
    case .v6(let address):
      if address.dropLast().allSatisfy({ $0 == 0 }), address.last == 1 { return .thisMachine }
      // An IPv4 address in IPv6 clothes (RFC 4291, 2.5.5.2) is that IPv4 address.
      if address.prefix(10).allSatisfy({ $0 == 0 }), address[10...11].allSatisfy({ $0 == 0xFF }) {
        return URLReference.exposure(v4: Array(address[12...]))
      }
      if address[0] & 0xFE == 0xFC { return .privateNetwork }
      return address[0] == 0xFE && address[1] & 0xC0 == 0x80 ? .privateNetwork : .everywhere
    }
  }

  private static func exposure(v4 address: [UInt8]) -> Exposure {
    switch (address[0], address[1]) {
    case (127, _): .thisMachine
    // How the Android emulator reaches the machine it runs on.
    case (10, 0) where address[2] == 2 && address[3] == 2: .thisMachine
    case (10, _), (192, 168), (172, 16...31), (169, 254): .privateNetwork
    default: .everywhere
    }
  }
}
