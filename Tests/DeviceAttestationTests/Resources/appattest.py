"""Prints App Attest vectors of our own making, one JSON object a line: first the roots, then what a device would send. Each vector but
the good ones is wrong in one way; `expect` is the refusal that it must meet, empty for none."""
import base64
import hashlib
import json

import cbor
from authority import DAY, NONCE_OID, NOW, Authority, der, issue, pem, public_point
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa, utils
from cryptography import x509

APP = "A1B2C3D4E5.com.example.field"
CHALLENGE = hashlib.sha256(b"a challenge that the server gave out").digest()
PRODUCTION = b"appattest" + bytes(7)
DEVELOPMENT = b"appattestdevelop"
GOOD = Authority()


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def cose(key):
    numbers = key.public_key().public_numbers()
    return cbor.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})


def emit(kind, label, expect, **fields):
    encoded = {k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in fields.items()}
    print(json.dumps({"kind": kind, "name": label, "expect": expect, **encoded}))


def authenticator_data(key, *, app=APP, flags=0x40, counter=0, aaguid=PRODUCTION, credential=None, tail=b"", cut=None):
    identity = sha256(public_point(key)) if credential is None else credential
    data = (sha256(app.encode()) + bytes([flags]) + counter.to_bytes(4, "big") + aaguid
            + len(identity).to_bytes(2, "big") + identity + cose(key) + tail)
    return data[:cut]


def extensions(category, version):
    return cbor.dumps({"apple_bundle_version_01": version, "apple_validation_category_01": category.to_bytes(4, "little")})


def nonce_extension(nonce):
    return bytes([0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]) + nonce


def attestation(label, expect, *, key=None, authority=GOOD, fmt="apple-appattest", nonces=None, chain=None, key_id=None,
                statement=None, environment="production", client_data_hash=CHALLENGE, signed_hash=CHALLENGE, now=NOW,
                leaf=None, raw=None, document=None, category=-1, version="", allowed=None, **data):
    key = key or new_key()
    own = key if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name == "secp256r1" else new_key()
    auth = authenticator_data(own, **data)
    nonce = sha256(auth, signed_hash)
    found = [(NONCE_OID, nonce_extension(nonce), False)] if nonces is None else nonces(nonce)
    certificate = authority.credential(key, found, **(leaf or {}))
    certificates = [der(certificate), der(authority.intermediate)] if chain is None else chain(certificate, found)
    whole = {"fmt": fmt, "attStmt": {"x5c": certificates, "receipt": b"receipt " * 40}, "authData": auth}
    if statement:
        statement(whole["attStmt"])
    if document:
        document(whole)
    sent = cbor.dumps(whole) if raw is None else raw(cbor.dumps(whole))
    emit("attestation", label, expect, object=sent, keyID=sha256(public_point(own)) if key_id is None else key_id,
         clientDataHash=client_data_hash, environment=environment, now=now, publicKey=public_point(own), category=category,
         version=version, allowed=allowed)


def drop(name):
    return lambda members: members.pop(name)


def put(name, value):
    return lambda members: members.update({name: value})


def good():
    attestation("production", "")
    attestation("development", "", environment="development", aaguid=DEVELOPMENT)
    attestation("with its root", "", chain=lambda c, _: [der(c), der(GOOD.intermediate), der(GOOD.root)])
    attestation("extensions", "", flags=0xC0, tail=extensions(4, "17"), category=4, version="17")
    attestation("extensions without their flag", "", tail=extensions(2, "17"), category=2, version="17", allowed=[2, 4])
    attestation("extensions that are not known", "", flags=0xC0, tail=cbor.dumps({"apple_other_01": [1, b"2"]}))
    attestation("no extensions where a category is asked for", "", allowed=[4])
    attestation("a member that is not known", "", document=put("version", 2))


def steps():
    attestation("another format", "format", fmt="packed")
    attestation("no format", "malformed", document=drop("fmt"))
    attestation("no statement", "malformed", document=drop("attStmt"))
    attestation("no authenticator data", "malformed", document=drop("authData"))
    attestation("no certificates", "malformed", statement=drop("x5c"))
    attestation("no receipt", "malformed", statement=drop("receipt"))
    attestation("a list around it", "malformed", raw=lambda o: b"\x81" + o)
    attestation("bytes after it", "malformed", raw=lambda o: o + b"\x00")
    attestation("an empty object", "malformed", raw=lambda o: b"")
    attestation("larger than allowed", "size", raw=lambda o: o + bytes(40_000))
    # Steps 2 to 4.
    attestation("another challenge", "nonce", signed_hash=sha256(b"another challenge"))
    attestation("the challenge instead of its hash", "nonce", client_data_hash=b"a challenge that the server gave out")
    attestation("no nonce", "nonce-missing", nonces=lambda n: [])
    attestation("a nonce that is cut", "nonce-missing", nonces=lambda n: [(NONCE_OID, nonce_extension(n)[:-1], False)])
    attestation("a bare nonce", "nonce-missing", nonces=lambda n: [(NONCE_OID, b"\x04\x20" + n, False)])
    attestation("a nonce of all zeros", "nonce", nonces=lambda n: [(NONCE_OID, nonce_extension(bytes(32)), False)])
    # Step 5.
    attestation("another key id", "key-id", key_id=sha256(b"another key"))
    attestation("an empty key id", "key-id", key_id=b"")
    attestation("a key on another curve", "key-type", key=ec.generate_private_key(ec.SECP384R1()))
    attestation("an RSA key", "key-type", key=rsa.generate_private_key(65537, 2048))
    # Steps 6 to 9.
    attestation("NA-02: another app", "app-id", app="A1B2C3D4E5.com.example.other")
    attestation("a used key", "counter-not-zero", counter=1)
    attestation("made in development", "environment", aaguid=DEVELOPMENT)
    attestation("made in production", "environment", environment="development")
    attestation("an AAGUID of somebody else", "environment", aaguid=bytes(range(16)))
    attestation("another credential id", "credential-id", credential=sha256(b"another credential"))
    attestation("a short credential id", "credential-id", credential=b"short")
    attestation("no credential flag", "malformed", flags=0)
    attestation("authenticator data that is cut", "malformed", cut=60)
    attestation("no public key", "malformed", cut=37 + 18 + 32)
    attestation("a public key that is cut", "malformed", cut=-1)
    # Beyond the steps.
    attestation("extensions that are no map", "malformed", flags=0xC0, tail=b"\x80")
    attestation("something after the extensions", "malformed", flags=0xC0, tail=extensions(4, "17") + b"\x00")
    attestation("a category of another type", "malformed", tail=cbor.dumps({"apple_validation_category_01": 4}))
    attestation("a category of another size", "malformed", tail=cbor.dumps({"apple_validation_category_01": b"\x04"}))
    attestation("a version of another type", "malformed", tail=cbor.dumps({"apple_bundle_version_01": 17}))
    attestation("a development build", "validation-category", tail=extensions(3, "17"), allowed=[2, 4])


def chains():
    """Step 1."""
    attestation("no certificate at all", "certificate", statement=put("x5c", []))
    attestation("too many certificates", "certificate", chain=lambda c, _: [der(c)] + [der(GOOD.intermediate)] * 4)
    attestation("a certificate that is none", "certificate", chain=lambda c, _: [der(c), b"\x30\x03\x02\x01\x01"])
    attestation("a certificate as text", "certificate", chain=lambda c, _: [pem(c), der(GOOD.intermediate)])
    attestation("a certificate with bytes after it", "certificate", chain=lambda c, _: [der(c) + b"\x00", der(GOOD.intermediate)])
    attestation("no intermediate", "untrusted-root", chain=lambda c, _: [der(c)])
    attestation("another root", "untrusted-root", authority=Authority("Somebody's Root"))
    other = Authority("Somebody's Root")
    attestation("another root that is sent along", "untrusted-root", authority=other,
                chain=lambda c, _: [der(c), der(other.intermediate), der(other.root)])
    attestation("another root of the same name", "certificate-signature", authority=Authority())
    attestation("a self-signed credential", "untrusted-root", chain=self_signed)
    attestation("a credential that another key signed", "certificate-signature",
                leaf={"signer": ec.generate_private_key(ec.SECP384R1())})
    attestation("an expired intermediate", "expired", authority=GOOD.with_intermediate(ends=NOW - DAY))
    attestation("an intermediate of the future", "not-yet-valid", authority=GOOD.with_intermediate(begins=NOW + DAY))
    attestation("an expired credential", "expired", leaf={"ends": NOW - 1})
    attestation("a credential of the future", "not-yet-valid", leaf={"begins": NOW + 3_600})
    attestation("all of it expired", "expired", now=NOW + 3_000 * DAY)
    attestation("an intermediate with CA:FALSE", "not-an-authority", authority=GOOD.with_intermediate(ca=False, may_sign=True))
    attestation("an intermediate without basic constraints", "not-an-authority",
                authority=GOOD.with_intermediate(constraints=False))
    attestation("an intermediate that may not sign", "not-an-authority", authority=GOOD.with_intermediate(may_sign=False))
    attestation("a device's credential as an authority", "not-an-authority", chain=by_a_device)
    attestation("a path that is too long", "chain", chain=too_long)
    attestation("a critical extension that is not known", "chain",
                nonces=lambda n: [(NONCE_OID, nonce_extension(n), False),
                                      (x509.ObjectIdentifier("1.2.3.4.5"), b"\x05\x00", True)])
    attestation("an intermediate of RSA 1024", "weak-key",
                authority=GOOD.with_intermediate(rsa.generate_private_key(65537, 1024)))
    attestation("an intermediate of RSA 2048", "",
                authority=GOOD.with_intermediate(rsa.generate_private_key(65537, 2048)))


def self_signed(certificate, found):
    key = new_key()
    return [der(issue("credential", key, "credential", key, ca=False, extensions=found))]


def by_a_device(certificate, found):
    device = new_key()
    genuine = GOOD.credential(device, found)
    forged = issue("forged", new_key(), "credential", device, ca=False, extensions=found)
    return [der(forged), der(genuine), der(GOOD.intermediate)]


def too_long(certificate, found):
    key = ec.generate_private_key(ec.SECP384R1())
    limited = GOOD.with_intermediate(path=0)
    between = issue("between", key, limited.intermediate_name, limited.intermediate_key)
    leaf = issue("credential", new_key(), "between", key, ca=False, extensions=found)
    return [der(leaf), der(between), der(limited.intermediate)]


CLIENT_DATA = b'{"challenge":"c2VydmVy","grant_type":"refresh_token"}'


def assertion(label, expect, key, *, signer=None, app=APP, counter=7, last=6, flags=0x40, data=CLIENT_DATA, signed=CLIENT_DATA,
              tail=b"", form=lambda s: s, cut=None, document=None, public=None, allowed=None):
    auth = (sha256(app.encode()) + bytes([flags]) + counter.to_bytes(4, "big") + tail)[:cut]
    signature = form((signer or key).sign(sha256(auth, sha256(signed)), ec.ECDSA(hashes.SHA256())))
    whole = {"signature": signature, "authenticatorData": auth}
    if document:
        document(whole)
    emit("assertion", label, expect, object=cbor.dumps(whole), clientData=data, lastCounter=last, counter=counter,
         publicKey=public_point(key) if public is None else public, allowed=allowed)


def raw_form(signature):
    r, s = utils.decode_dss_signature(signature)
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def assertions():
    key = new_key()
    assertion("an assertion", "", key)
    assertion("the first assertion", "", key, counter=1, last=0)
    assertion("the last counter there is", "", key, counter=0xFFFF_FFFF, last=0xFFFF_FFFE)
    assertion("extensions", "", key, flags=0xC0, tail=extensions(4, "17"), allowed=[4])
    assertion("no extensions where a category is asked for", "", key, allowed=[4])
    assertion("a development build", "validation-category", key, tail=extensions(3, "17"), allowed=[4])
    assertion("something after the extensions", "malformed", key, tail=extensions(4, "17") * 2)
    assertion("a byte after the counter", "malformed", key, tail=b"\x00")
    assertion("another device's key", "signature", key, signer=new_key())
    assertion("other client data", "signature", key, data=CLIENT_DATA + b" ")
    assertion("a signature in JOSE's form", "signature", key, form=raw_form)
    assertion("a signature with a byte after it", "signature", key, form=lambda s: s + b"\x00")
    assertion("no signature in it", "signature", key, form=lambda s: b"")
    assertion("NA-02: another app", "app-id", key, app="A1B2C3D4E5.com.example.other")
    assertion("NA-02: the same counter", "counter-not-rising", key, counter=6)
    assertion("NA-02: a lower counter", "counter-not-rising", key, counter=5)
    assertion("NA-02: a counter that went round", "counter-not-rising", key, counter=0, last=0xFFFF_FFFF)
    assertion("authenticator data that is cut", "malformed", key, cut=36)
    assertion("no signature", "malformed", key, document=drop("signature"))
    assertion("no authenticator data", "malformed", key, document=drop("authenticatorData"))
    assertion("larger than allowed", "size", key, tail=bytes(3_000))
    assertion("a kept key that is none", "key-type", key, public=b"\x04" + bytes(64))
    assertion("a kept key that is cut", "key-type", key, public=public_point(key)[:64])


print(json.dumps({"kind": "roots", "pem": pem(GOOD.root), "intermediate": pem(GOOD.intermediate), "app": APP}))
good()
steps()
chains()
assertions()
