internal import BackendStore

extension AttestationFault {
  /// What the store says of what it was to keep.
  init(_ misfit: DeviceMisfit) {
    let message =
      switch misfit {
      case .nothing: "the request has no attestation"
      case .noDevice: "the user has no such device"
      case .keyTaken: "the key is kept for another device or another user: an app makes one for each"
      case .otherKey: "the device has another key, or none, or did not sign with the one that is kept"
      case .counter: "the assertion's counter is not above the last one"
      }
    self.init(misfit.rawValue, message)
  }
}
