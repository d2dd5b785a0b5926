public import BackendKeys
public import BackendStore
public import Basics

// What commands print of the store's records with --json. Nothing secret is in any of them.

extension User {
  /// Without the hash of the password.
  public var document: JSONValue {
    [
      "id": .string(id), "name": .string(name), "disabled": .bool(isDisabled),
      "hasPassword": .bool(passwordHash != nil),
      "createdAt": .string(createdAt.rfc3339), "passwordChangedAt": .optional(passwordChangedAt?.rfc3339),
      "claims": .object(claims.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }),
    ]
  }
}

extension IdentityLink {
  /// Without whose it is.
  public var document: JSONValue {
    ["provider": .string(issuer), "subject": .string(subject), "linkedAt": .string(linkedAt.rfc3339)]
  }
}

extension Client {
  /// The whole registration.
  public var document: JSONValue {
    [
      "id": .string(id), "name": .string(name), "redirectUris": .strings(redirectURIs),
      "postLogoutRedirectUris": .strings(postLogoutRedirectURIs), "scopes": .strings(scopes),
      "grants": .strings(grants.sorted()), "firstParty": .bool(isFirstParty), "audience": .string(audience),
      "device": .string(devicePolicy.rawValue), "attestation": .string(attestation.rawValue),
      "graceSeconds": .integer(graceSeconds), "enabled": .bool(isEnabled),
      "properties": .object(properties.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }),
    ]
  }
}

extension ResourceServer {
  /// Without what is stored of its secret.
  public var document: JSONValue {
    ["name": .string(name), "audience": .string(audience), "createdAt": .string(createdAt.rfc3339)]
  }
}

extension Device {
  /// Without its key.
  public var document: JSONValue {
    [
      "user": .string(user), "id": .string(id), "name": .string(name), "platform": .string(platform),
      "firstSeenAt": .string(firstSeenAt.rfc3339), "lastSeenAt": .string(lastSeenAt.rfc3339),
      "attested": .bool(key != nil), "verdict": .optional(verdict?.text), "verdictAt": .optional(verdict?.at.rfc3339),
    ]
  }
}

extension Family {
  /// Without its handle and its hashes.
  public var document: JSONValue {
    [
      "sid": .string(id), "user": .string(user), "client": .string(client), "device": .optional(device),
      "scopes": .strings(scopes), "createdAt": .string(createdAt.rfc3339), "usedAt": .string(usedAt.rfc3339),
      "expiresAt": .string(expiresAt.rfc3339), "rotations": .integer(generation), "ended": .optional(end?.rawValue),
    ]
  }
}

extension KeyStatus {
  /// All of it.
  public var document: JSONValue {
    let kind: [JSONValue.Member] =
      purpose == .signing ? [.init("kid", .string(keyID)), .init("algorithm", .string(algorithm))] : []
    return .object(
      [.init("number", .integer(number))] + kind + [
        .init("state", .string(state.rawValue)), .init("createdAt", .string(createdAt.rfc3339)),
        .init("activeAt", .string(activeAt.rfc3339)), .init("retiredAt", .optional(retiredAt?.rfc3339)),
        .init("removedAt", .optional(removedAt?.rfc3339)),
      ])
  }
}

extension AuditRecord {
  /// All of it; the digest in hexadecimal.
  public var document: JSONValue {
    [
      "number": .integer(number), "at": .string(at.rfc3339), "event": .string(event),
      "fields": .object(fields.map { JSONValue.Member($0.name, .string($0.value)) }),
      "digest": .string(Hexadecimal.encode(digest)),
    ]
  }
}
