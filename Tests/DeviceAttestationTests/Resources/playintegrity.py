"""Prints Play Integrity vectors, one JSON object a line: first the keys as the Play Console shows them, then tokens that joserfc made.
Each but the good ones is wrong in one way; `expect` is the refusal that it must meet, empty for none. The tokens are those of classic requests,
with a nonce; where a hash is asked for, the payload alone counts, as Google's servers hand it out."""
import base64
import copy
import hashlib
import hmac
import json
import os

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jwe, jws
from joserfc.jwk import ECKey, OctKey

NOW = 1_800_000_000
PACKAGE = "com.example.field"
HASH = "aGFzaCBvZiB0aGUgcmVxdWVzdA"
NONCE = "bm9uY2UgZnJvbSB0aGUgc2VydmVy"
KEY = os.urandom(32)
CERTIFICATE = hashlib.sha256(b"the app's certificate").digest()
OTHER = hashlib.sha256(b"another certificate").digest()
ALGORITHMS = ["A256KW", "A128KW", "A256GCM", "A128GCM", "A256CBC-HS512", "dir", "DEF", "ES256", "HS256", "ES384"]


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signing_key(curve=None):
    private = ec.generate_private_key(curve or ec.SECP256R1())
    spki = private.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return ECKey.import_key(pem), base64.b64encode(spki).decode()


SIGNER, VERIFICATION_KEY = signing_key()


def verdict(request):
    return {
        "requestDetails": {"requestPackageName": PACKAGE, "timestampMillis": str(NOW * 1_000 - 5_000), **request},
        "appIntegrity": {
            "appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": PACKAGE, "versionCode": "42",
            "certificateSha256Digest": [url64(CERTIFICATE)]},
        "deviceIntegrity": {"deviceRecognitionVerdict": ["MEETS_DEVICE_INTEGRITY"]},
        "accountDetails": {"appLicensingVerdict": "LICENSED"},
    }


def vector(label, expect, change=None, *, request=None, asked=None, key=KEY, signer=SIGNER, header=None, outer=None, payload=None,
           inner=None, edit=None, policy=None, decoded=None):
    document = copy.deepcopy(verdict(request or {"nonce": NONCE}))
    if change:
        change(document)
    text = json.dumps(document).encode() if payload is None else payload
    signed = jws.serialize_compact(header or {"alg": "ES256"}, text, signer, algorithms=ALGORITHMS)
    signed = signed if inner is None else inner(signed)
    token = jwe.encrypt_compact(
        {"alg": "A256KW", "enc": "A256GCM", **(outer or {})}, signed.encode(), OctKey.import_key(key),
        algorithms=ALGORITHMS)
    token = edit(token) if edit else token
    print(json.dumps({"name": label, "expect": expect, "token": token, "request": asked or {"nonce": NONCE}, "policy": policy or {},
                      "payload": base64.b64encode(text).decode(), "decoded": expect if decoded is None else decoded}))


def wrapped(label, expect, change=None, **wrong):
    """A good verdict whose token is not: `decoded` says what the verdict alone must meet."""
    vector(label, expect, change, decoded="", **wrong)


def standard(label, expect, change=None, *, request=None, asked=HASH):
    vector(label, expect, change, request=request or {"requestHash": HASH}, asked={"hash": asked})


def details(**members):
    return lambda d: d["requestDetails"].update(members)


def app(**members):
    return lambda d: d["appIntegrity"].update(members)


def labels(*names):
    return lambda d: d["deviceIntegrity"].update(deviceRecognitionVerdict=list(names))


def without(part, name=None):
    return lambda d: d.pop(part) if name is None else d[part].pop(name)


def part(index, change):
    def edit(token):
        parts = token.split(".")
        parts[index] = change(parts[index])
        return ".".join(parts)
    return edit


def flip(text):
    return text[:-2] + ("A" if text[-2] != "A" else "B") + text[-1]


def unevaluated(document):
    document["appIntegrity"] = {"appRecognitionVerdict": "UNEVALUATED"}


def unsigned(token):
    _, payload, _ = token.split(".")
    return url64(b'{"alg":"none"}') + "." + payload + "."


def confused(token):
    signed = url64(b'{"alg":"HS256"}') + "." + token.split(".")[1]
    return signed + "." + url64(hmac.digest(base64.b64decode(VERIFICATION_KEY), signed.encode(), "sha256"))


def good():
    standard("a standard request", "")
    vector("a classic request", "")
    vector("a nonce that came back padded", "", request={"nonce": NONCE + "=="})
    vector("a time as a number", "", details(timestampMillis=NOW * 1_000))
    vector("as old as allowed", "", details(timestampMillis=str((NOW - 150) * 1_000)))
    vector("a clock that is ahead a little", "", details(timestampMillis=str((NOW + 30) * 1_000)))
    vector("strong integrity", "", labels("MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"),
           policy={"device": "strong"})
    vector("basic integrity where it is enough", "", labels("MEETS_BASIC_INTEGRITY"), policy={"device": "basic"})
    vector("a device that proves nothing, where nothing is asked", "", without("deviceIntegrity", "deviceRecognitionVerdict"),
           policy={"device": "any"})
    vector("an app that was not evaluated, where that is allowed", "", unevaluated, policy={"needsRecognisedApp": False})
    vector("a test answer where it is allowed", "", lambda d: d.update(testingDetails={"isTestingResponse": True}),
           policy={"allowsTestVerdicts": True})


def tokens():
    wrapped("another decryption key", "decryption", key=os.urandom(32))
    for index, what in ((1, "wrapped key"), (2, "initialisation vector"), (3, "ciphertext"), (4, "tag")):
        wrapped(f"a changed {what}", "decryption", edit=part(index, flip))
    wrapped("another header", "decryption", edit=part(0, lambda _: url64(b'{"enc":"A256GCM","alg":"A256KW"}')))
    wrapped("a header that is not known, unauthenticated", "decryption",
            edit=part(0, lambda _: url64(b'{"alg":"A256KW","enc":"A256GCM","kid":"1"}')))
    wrapped("a key that is used directly", "encryption", outer={"alg": "dir"})
    wrapped("another wrapping", "encryption", outer={"alg": "A128KW"}, key=os.urandom(16))
    wrapped("another content encryption", "encryption", outer={"enc": "A128GCM"})
    wrapped("CBC", "encryption", outer={"enc": "A256CBC-HS512"})
    wrapped("compressed", "encryption", outer={"zip": "DEF"})
    wrapped("critical extensions", "encryption",
            edit=part(0, lambda _: url64(b'{"alg":"A256KW","enc":"A256GCM","crit":["exp"]}')))
    wrapped("no algorithm", "encryption", edit=part(0, lambda _: url64(b'{"enc":"A256GCM"}')))
    wrapped("a header with a member twice", "malformed",
            edit=part(0, lambda _: url64(b'{"alg":"dir","alg":"A256KW","enc":"A256GCM"}')))
    wrapped("a header that is a list", "malformed", edit=part(0, lambda _: url64(b"[]")))
    wrapped("four parts", "malformed", edit=lambda t: t.rsplit(".", 1)[0])
    wrapped("padding", "malformed", edit=part(4, lambda p: p + "=="))
    wrapped("a short tag", "malformed", edit=part(4, lambda p: url64(base64.urlsafe_b64decode(p + "==")[:12])))
    wrapped("a short wrapped key", "malformed", edit=part(1, lambda p: p[:32]))
    wrapped("the signed token alone", "malformed", edit=lambda t: jws.serialize_compact({"alg": "ES256"}, b"{}", SIGNER))
    # So is what it holds.
    vector("larger than allowed", "size", change=lambda d: d.update(more="x" * 30_000), decoded="malformed")
    wrapped("another signer", "token-signature", signer=signing_key()[0])
    wrapped("not signed", "token-signature", inner=unsigned)
    wrapped("a changed signature", "token-signature", inner=lambda t: flip(t))
    wrapped("a verdict without a signature around it", "token-signature", inner=lambda t: json.dumps(verdict({})))
    wrapped("signed with the public key as a secret", "token-signature", inner=confused)
    wrapped("a bigger curve", "token-signature", header={"alg": "ES384"}, signer=signing_key(ec.SECP384R1())[0])


def verdicts():
    vector("no JSON", "malformed", payload=b"verdict")
    vector("a member twice", "malformed", payload=b'{"requestDetails":{},"requestDetails":{}}')
    for name in ("requestDetails", "appIntegrity", "deviceIntegrity"):
        vector(f"no {name}", "malformed", without(name))
    vector("no recognition", "malformed", without("appIntegrity", "appRecognitionVerdict"))
    vector("no time", "malformed", without("requestDetails", "timestampMillis"))
    vector("a time that is none", "malformed", details(timestampMillis="soon"))
    vector("a time before all time", "malformed", details(timestampMillis="-5"))
    vector("a time beyond all time", "malformed", details(timestampMillis="9" * 30))
    vector("labels that are none", "malformed", lambda d: d["deviceIntegrity"].update(deviceRecognitionVerdict=[1]))
    vector("a digest that is none", "malformed", app(certificateSha256Digest=["abc"]))
    vector("asked for by another app", "request-package", details(requestPackageName="com.example.other"))
    vector("asked for by nobody", "request-package", without("requestDetails", "requestPackageName"))
    standard("NA-02: another request hash", "request-hash", details(requestHash=HASH + "A"))
    standard("NA-02: no request hash", "request-hash", without("requestDetails", "requestHash"))
    standard("NA-02: a nonce where a hash was asked for", "request-hash", request={"nonce": HASH})
    standard("an empty hash asked for", "request-hash", details(requestHash=""), asked="")
    vector("NA-02: another nonce", "request-nonce", request={"nonce": NONCE[:-1]})
    vector("NA-02: no nonce", "request-nonce", without("requestDetails", "nonce"))
    vector("NA-02: a hash where a nonce was asked for", "request-nonce", request={"requestHash": NONCE})
    vector("an empty nonce asked for", "request-nonce", details(nonce=""), asked={"nonce": ""})
    vector("NA-02: too old", "too-old", details(timestampMillis=str((NOW - 151) * 1_000)))
    vector("of the future", "issued-in-future", details(timestampMillis=str((NOW + 31) * 1_000)))
    vector("a test answer", "test-verdict", lambda d: d.update(testingDetails={"isTestingResponse": True}))
    vector("an app that Google Play does not know", "app-not-recognised", app(appRecognitionVerdict="UNRECOGNIZED_VERSION"))
    vector("an app that was not evaluated", "app-not-recognised", unevaluated)
    vector("an unknown recognition", "app-not-recognised", app(appRecognitionVerdict="PLAY_RECOGNIZED_SOON"))
    vector("another package", "app-package", app(packageName="com.example.other"))
    vector("no package", "app-package", without("appIntegrity", "packageName"))
    vector("another package, where Google Play need not know it", "app-package",
           app(appRecognitionVerdict="UNRECOGNIZED_VERSION", packageName="com.example.other"),
           policy={"needsRecognisedApp": False})
    vector("another certificate", "signing-certificate", app(certificateSha256Digest=[url64(OTHER)]))
    vector("another certificate beside the right one", "signing-certificate",
           app(certificateSha256Digest=[url64(CERTIFICATE), url64(OTHER)]))
    vector("no certificate", "signing-certificate", app(certificateSha256Digest=[]))
    vector("a repackaged app, where Google Play need not know it", "signing-certificate",
           app(appRecognitionVerdict="UNRECOGNIZED_VERSION", certificateSha256Digest=[url64(OTHER)]),
           policy={"needsRecognisedApp": False})
    vector("a device that proves nothing", "device-integrity", without("deviceIntegrity", "deviceRecognitionVerdict"))
    vector("a device with basic integrity only", "device-integrity", labels("MEETS_BASIC_INTEGRITY"))
    vector("an emulator", "device-integrity", labels("MEETS_VIRTUAL_INTEGRITY"))
    vector("a label that is not known", "device-integrity", labels("MEETS_DEVICE_INTEGRITY_SOON"))
    vector("a device without strong integrity", "device-integrity", policy={"device": "strong"})


print(json.dumps({"decryptionKey": base64.b64encode(KEY).decode(), "verificationKey": VERIFICATION_KEY, "package": PACKAGE,
                  "certificate": ":".join(f"{byte:02X}" for byte in CERTIFICATE)}))
good()
tokens()
verdicts()
