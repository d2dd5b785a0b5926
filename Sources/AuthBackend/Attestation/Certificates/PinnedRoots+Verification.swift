internal import Basics
internal import COpenSSL

extension PinnedRoots {
  /// The bits of security that each key and signature of a chain must have (NIST SP 800-57, libcrypto's level 2): RSA of 2048
  /// bits, curves of 224, and no SHA-1.
  private static let securityLevel: Int32 = 2
  /// How many certificates may stand between the leaf and the root.
  private static let maximumIntermediates: Int32 = 2

  /// Verifies that a leaf leads to one of these roots by way of the others, all of them valid at a moment (RFC 5280 6). There is no
  /// look-up of revocation: the platforms publish none for these certificates.
  func verify(_ leaf: Certificate, by others: [Certificate], at moment: Timestamp) throws(AttestationRefusal) {
    defer { LibCrypto.forgetErrors() }
    guard let context = unsafe X509_STORE_CTX_new() else { throw AttestationRefusal(.unavailable) }
    defer { unsafe X509_STORE_CTX_free(context) }
    guard let untrusted = unsafe OPENSSL_sk_new_null() else { throw AttestationRefusal(.unavailable) }
    // The stack borrows the certificates, which live as long as this call.
    defer { unsafe OPENSSL_sk_free(untrusted) }
    for one in others {
      guard unsafe OPENSSL_sk_push(untrusted, UnsafeRawPointer(one.pointer)) > 0 else {
        throw AttestationRefusal(.unavailable)
      }
    }
    guard unsafe X509_STORE_CTX_init(context, store, leaf.pointer, untrusted) == 1,
      let parameters = unsafe X509_STORE_CTX_get0_param(context)
    else { throw AttestationRefusal(.unavailable) }
    unsafe X509_VERIFY_PARAM_set_time(parameters, Int(clamping: moment.seconds))
    unsafe X509_VERIFY_PARAM_set_depth(parameters, PinnedRoots.maximumIntermediates)
    unsafe X509_VERIFY_PARAM_set_auth_level(parameters, PinnedRoots.securityLevel)
    let isValid = withExtendedLifetime((leaf, others)) { unsafe X509_verify_cert(context) == 1 }
    let fault = unsafe X509_STORE_CTX_get_error(context)
    guard isValid, fault == X509_V_OK else { throw PinnedRoots.refusal(fault) }
    // libcrypto lets some old certificates without basic constraints pass as authorities.
    guard let chain = unsafe X509_STORE_CTX_get0_chain(context) else { throw AttestationRefusal(.chain) }
    let count = unsafe OPENSSL_sk_num(chain)
    guard count >= 2 else { throw AttestationRefusal(.chain, "the credential certificate is itself a root") }
    for index in 1..<count {
      guard let one = unsafe OPENSSL_sk_value(chain, index), unsafe Certificate.isAuthority(OpaquePointer(one)) else {
        throw AttestationRefusal(.notAuthority)
      }
    }
  }

  private static func refusal(_ fault: Int32) -> AttestationRefusal {
    switch fault {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_CERT_UNTRUSTED:
      AttestationRefusal(.untrustedRoot)
    case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
      AttestationRefusal(.certificateSignature)
    case X509_V_ERR_CERT_HAS_EXPIRED: AttestationRefusal(.expired)
    case X509_V_ERR_CERT_NOT_YET_VALID: AttestationRefusal(.notYetValid)
    case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN: AttestationRefusal(.notAuthority)
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      AttestationRefusal(.weakKey)
    case X509_V_ERR_OUT_OF_MEM: AttestationRefusal(.unavailable)
    default:
      AttestationRefusal(
        .chain,
        "the certificates do not form a valid chain: "
          + (unsafe String(cString: X509_verify_cert_error_string(Int(fault)))))
    }
  }
}
