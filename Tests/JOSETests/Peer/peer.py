"""The other side of the check with joserfc: `make` prints a public key and a token per line, for each algorithm in turn;
`check` reads such lines and prints the payload of each token that joserfc verifies."""
import base64
import json
import sys

from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey, import_key

ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]


def new_key(algorithm, number):
    options = {"kid": f"key-{algorithm}-{number}"}
    if algorithm in ("RS256", "PS256"):
        return RSAKey.generate_key(2048, options)
    if algorithm == "ES256":
        return ECKey.generate_key("P-256", options)
    return OKPKey.generate_key("Ed25519", options)


def make(count):
    for algorithm in ALGORITHMS:
        key = new_key(algorithm, 0)
        for number in range(count):
            if algorithm in ("ES256", "EdDSA"):
                key = new_key(algorithm, number)
            payload = json.dumps({"number": number, "text": "caf\u00e9 \U0001f511 " * (number % 7)}, ensure_ascii=bool(number % 2))
            token = jws.serialize_compact(
                {"alg": algorithm, "kid": key.kid}, payload.encode(), key, algorithms=ALGORITHMS)
            line = {"alg": algorithm, "token": token, "payload": base64.b64encode(payload.encode()).decode(),
                    "jwk": key.as_dict(private=False), "thumbprint": key.thumbprint(), "private": key.as_dict(private=True)}
            print(json.dumps(line))


def check():
    for line in sys.stdin:
        item = json.loads(line)
        key = import_key(item["jwk"])
        token = jws.deserialize_compact(item["token"], key, algorithms=[item["alg"]])
        answer = {"payload": base64.b64encode(token.payload).decode(), "kid": token.headers().get("kid"),
                  "thumbprint": key.thumbprint()}
        print(json.dumps(answer))


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    check()
