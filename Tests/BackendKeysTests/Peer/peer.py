"""What joserfc makes of our tokens and sets of keys: reads a JSON object a line with `jwks` (text), `token` and perhaps
`access_token`, and prints the header, the claims and what it found out for each."""
import base64
import hashlib
import json
import sys

from joserfc import jws, jwt
from joserfc.jwk import KeySet

ALGORITHMS = ["EdDSA", "RS256"]
ESSENTIAL = {
    "at+jwt": ["iss", "sub", "aud", "client_id", "iat", "exp", "jti", "scope"],
    "JWT": ["iss", "sub", "aud", "iat", "exp", "auth_time"],
}


def at_hash(token, algorithm):
    digest = (hashlib.sha512 if algorithm == "EdDSA" else hashlib.sha256)(token.encode()).digest()
    return base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode()


for line in sys.stdin:
    item = json.loads(line)
    keys = KeySet.import_key_set(json.loads(item["jwks"]))
    signed = jws.deserialize_compact(item["token"], keys, algorithms=ALGORITHMS)
    token = jwt.decode(item["token"], keys, algorithms=ALGORITHMS)
    registry = jwt.JWTClaimsRegistry(
        now=item["now"], **{name: {"essential": True, "allow_blank": name == "scope"} for name in ESSENTIAL[token.header["typ"]]})
    registry.validate(token.claims)
    answer = {
        "header": token.header, "claims": token.claims, "payload": signed.payload.decode(),
        "keys": [{"kid": key.kid, "thumbprint": key.thumbprint(), "private": key.is_private, "use": key.get("use"),
                  "alg": key.get("alg")} for key in keys.keys],
        "at_hash": at_hash(item["access_token"], token.header["alg"]) if "access_token" in item else None,
    }
    print(json.dumps(answer))
