public import Basics
internal import JOSE

extension PlayIntegrityPolicy {
  /// The most bytes of a verdict.
  private static let maximumSize = 16 << 10

  /// Holds a verdict to this policy: the JSON that was in a token, or the `tokenPayloadExternal` that Google's own service decoded,
  /// where the answer's TLS connection vouches for it. Throws the first ``AttestationRefusal`` met.
  public func verdict(
    _ payload: [UInt8], request: PlayIntegrityRequest, now: Timestamp
  ) throws(AttestationRefusal) -> PlayIntegrityVerdict {
    let document: JSONValue
    do throws(JSONFault) {
      document = try JSONReader.value(payload, maximumSize: PlayIntegrityPolicy.maximumSize, maximumDepth: 8)
    } catch { throw AttestationRefusal(.malformed, "the verdict cannot be read: \(error)") }
    let details = try PlayIntegrityPolicy.object("requestDetails", of: document)
    try checkRequest(details, request)
    let issuedAt = try moment(details, now: now)
    let isTest = document["testingDetails"]?["isTestingResponse"] == true
    guard allowsTestVerdicts || !isTest else { throw AttestationRefusal(.testVerdict) }

    let app = try PlayIntegrityPolicy.object("appIntegrity", of: document)
    guard let recognition = app["appRecognitionVerdict"]?.string else {
      throw AttestationRefusal(.malformed, "the verdict has no 'appRecognitionVerdict'")
    }
    let digests = try PlayIntegrityPolicy.digests(app)
    try checkApp(app, recognition, digests)

    // An empty object when the device proves nothing.
    let device = try PlayIntegrityPolicy.object("deviceIntegrity", of: document)
    let labels = device["deviceRecognitionVerdict"].map { $0.strings } ?? []
    guard let labels else {
      throw AttestationRefusal(.malformed, "the verdict's 'deviceRecognitionVerdict' is no array of strings")
    }
    guard Device.proved(by: labels) >= self.device else { throw AttestationRefusal(.deviceIntegrity) }
    return PlayIntegrityVerdict(
      issuedAt: issuedAt, appRecognition: recognition, packageName: app["packageName"]?.string,
      certificateDigests: digests,
      versionCode: app["versionCode"].flatMap { $0.string ?? $0.wholeNumber.map { "\($0)" } },
      deviceLabels: labels, licensing: document["accountDetails"]?["appLicensingVerdict"]?.string, isTest: isTest)
  }

  private func checkRequest(_ details: JSONValue, _ request: PlayIntegrityRequest) throws(AttestationRefusal) {
    guard PlayIntegrityPolicy.isExactly(details["requestPackageName"]?.string, packageName) else {
      throw AttestationRefusal(.requestPackage)
    }
    switch request {
    case .hash(let expected):
      guard !expected.isEmpty, PlayIntegrityPolicy.isExactly(details["requestHash"]?.string, expected) else {
        throw AttestationRefusal(.requestHash)
      }
    case .nonce(let expected):
      func bare(_ text: String) -> String {
        String(decoding: text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed(), as: UTF8.self)
      }
      let own = details["nonce"]?.string.map(bare)
      guard !expected.isEmpty, PlayIntegrityPolicy.isExactly(own, bare(expected)) else {
        throw AttestationRefusal(.requestNonce)
      }
    }
  }

  // `timestampMillis` is a string, as JSON of Google's has all numbers of 64 bits.
  private func moment(_ details: JSONValue, now: Timestamp) throws(AttestationRefusal) -> Timestamp {
    let member = details["timestampMillis"]
    guard let milliseconds = member?.wholeNumber ?? member?.string.flatMap({ Int64($0) }), milliseconds > 0 else {
      throw AttestationRefusal(.malformed, "the verdict's 'timestampMillis' is no moment")
    }
    let moment = Timestamp(seconds: milliseconds / 1_000)
    guard moment <= now.advanced(by: leeway) else { throw AttestationRefusal(.issuedInFuture) }
    guard moment >= now.advanced(by: -maximumAge).advanced(by: -leeway) else { throw AttestationRefusal(.tooOld) }
    return moment
  }

  private func checkApp(_ app: JSONValue, _ recognition: String, _ digests: [[UInt8]]) throws(AttestationRefusal) {
    if needsRecognisedApp, recognition != "PLAY_RECOGNIZED" {
      throw AttestationRefusal(
        .appNotRecognised, "Google Play does not recognise the app: '\(OutsideText.clean(recognition, limit: 32))'")
    }
    // Google leaves both out when it did not evaluate the app.
    if recognition == "UNEVALUATED", app["packageName"] == nil, digests.isEmpty { return }
    guard PlayIntegrityPolicy.isExactly(app["packageName"]?.string, packageName) else {
      throw AttestationRefusal(.appPackage)
    }
    guard !digests.isEmpty, digests.allSatisfy({ certificateDigests.contains($0) }) else {
      throw AttestationRefusal(.signingCertificate)
    }
  }

  private static func digests(_ app: JSONValue) throws(AttestationRefusal) -> [[UInt8]] {
    guard let member = app["certificateSha256Digest"] else { return [] }
    guard let texts = member.strings else {
      throw AttestationRefusal(.malformed, "the verdict's 'certificateSha256Digest' is no array of strings")
    }
    var digests: [[UInt8]] = []
    for text in texts {
      guard let digest = Base64URL.decode(text), digest.count == 32 else {
        throw AttestationRefusal(.malformed, "a digest of a certificate is not 32 bytes in base64url")
      }
      digests.append(digest)
    }
    return digests
  }

  private static func object(_ name: String, of document: JSONValue) throws(AttestationRefusal) -> JSONValue {
    guard let member = document[name], member.members != nil else {
      throw AttestationRefusal(.malformed, "the verdict has no object '\(name)'")
    }
    return member
  }

  // Byte for byte: `==` takes texts for equal that Unicode calls equivalent.
  private static func isExactly(_ text: String?, _ other: String) -> Bool {
    text.map { $0.utf8.elementsEqual(other.utf8) } ?? false
  }
}

extension JSONValue {
  /// The number, when this is a whole one of 64 bits.
  fileprivate var wholeNumber: Int64? { if case .integer(let number) = self { number } else { nil } }
}
