"""A phone with Apple's and one with Google's services, as a server of a test's own: it answers the questions that an app would ask of the
platform, with keys and roots of our own. The folder with the programs that make certificates and CBOR is the first argument; with `now` as the
second the phone has this machine's time, else the one of the tests' vectors."""
import base64
import hashlib
import http.server
import json
import os
import sys
import time

HAS_TIME = sys.argv[2:] == ["now"]
if HAS_TIME:
    os.environ["ATTESTATION_TIME"] = str(int(time.time()))
sys.path.insert(0, sys.argv[1])
import cbor  # noqa: E402
from authority import NONCE_OID, NOW, Authority, der, pem, public_point  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from joserfc import jwe, jws  # noqa: E402
from joserfc.jwk import ECKey, OctKey  # noqa: E402

APP, PACKAGE = "A1B2C3D4E5.com.example.field", "com.example.field"
APPLE, KEY = Authority(), ec.generate_private_key(ec.SECP256R1())
SIGNER, SECRET = ec.generate_private_key(ec.SECP256R1()), os.urandom(32)
CERTIFICATE = hashlib.sha256(b"the app's certificate").digest()


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def text(data):
    return base64.b64encode(data).decode()


def head(_):
    spki = SIGNER.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {"app": APP, "package": PACKAGE, "root": pem(APPLE.root), "keyID": text(sha256(public_point(KEY))),
            "secret": text(SECRET), "verification": text(spki), "fingerprint": ":".join(f"{b:02X}" for b in CERTIFICATE)}


def attest(asked):
    """DCAppAttestService.attestKey."""
    numbers = KEY.public_key().public_numbers()
    cose = cbor.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})
    data = (sha256(asked.get("app", APP).encode()) + bytes([0x40]) + bytes(4) + b"appattest" + bytes(7) + bytes([0, 32])
            + sha256(public_point(KEY)) + cose)
    nonce = sha256(data, base64.b64decode(asked["hash"]))
    leaf = APPLE.credential(KEY, [(NONCE_OID, bytes([0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]) + nonce, False)])
    statement = {"x5c": [der(leaf), der(APPLE.intermediate)], "receipt": b"a receipt"}
    return {"object": text(cbor.dumps({"fmt": "apple-appattest", "attStmt": statement, "authData": data}))}


def sign(asked):
    """DCAppAttestService.generateAssertion."""
    data = sha256(asked.get("app", APP).encode()) + bytes([0x40]) + asked["counter"].to_bytes(4, "big")
    signature = KEY.sign(sha256(data, base64.b64decode(asked["hash"])), ec.ECDSA(hashes.SHA256()))
    return {"object": text(cbor.dumps({"signature": signature, "authenticatorData": data}))}


def integrity(asked):
    """IntegrityManager.requestIntegrityToken, a classic request; with `standard`, StandardIntegrityTokenProvider.request."""
    now = time.time() if HAS_TIME else NOW
    verdict = {
        "requestDetails": {"requestPackageName": PACKAGE, "timestampMillis": str(int(now * 1_000) - 5_000),
                           "requestHash" if asked.get("standard") else "nonce": asked["hash"]},
        "appIntegrity": {"appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": PACKAGE, "versionCode": "42",
                         "certificateSha256Digest": [base64.urlsafe_b64encode(CERTIFICATE).decode().rstrip("=")]},
        "deviceIntegrity": {"deviceRecognitionVerdict": asked.get("labels", ["MEETS_DEVICE_INTEGRITY"])},
        "accountDetails": {"appLicensingVerdict": "LICENSED"},
    }
    private = SIGNER.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    signed = jws.serialize_compact({"alg": "ES256"}, json.dumps(verdict).encode(), ECKey.import_key(private))
    return {"object": jwe.encrypt_compact(
        {"alg": "A256KW", "enc": "A256GCM"}, signed.encode(), OctKey.import_key(SECRET),
        algorithms=["A256KW", "A256GCM"])}


class Phone(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        answer = json.dumps({"/head": head, "/attest": attest, "/sign": sign, "/integrity": integrity}[self.path](asked))
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Phone)
print(server.server_port, flush=True)
server.serve_forever()
