#!/usr/bin/env python3
"""An identity provider one of whose answers comes a byte at a time, ten in a second, so that it is never silent for long and
takes minutes in all. The argument says which: discovery, token or keys. It prints its port, and signs in whoever comes."""
import base64
import http.server
import json
import sys
import time
import urllib.parse


def id_token():
    """One that is right but for its signature, which is compared once the keys are there."""
    def part(data):
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    now = int(time.time())
    claims = {"iss": issuer, "sub": "alice", "aud": "mfs", "iat": now, "exp": now + 3_600, "nonce": nonces[-1]}
    return ".".join([part(json.dumps({"alg": "RS256", "kid": "one"}).encode()), part(json.dumps(claims).encode()),
                     part(bytes(256))])


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        place = urllib.parse.urlsplit(self.path)
        if place.path.startswith("/.well-known/"):
            return self.answer("discovery", {
                "issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
                "jwks_uri": issuer + "/keys", "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"], "padding": "x" * 1_000})
        if place.path == "/keys":
            return self.answer("keys", {"keys": [], "padding": "x" * 1_000})
        asked = dict(urllib.parse.parse_qsl(place.query))
        nonces.append(asked["nonce"])
        self.send_response(302)
        self.send_header("Location", asked["redirect_uri"] + "?" + urllib.parse.urlencode(
            {"code": "once", "state": asked["state"]}))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer("token", {"access_token": "x" * 1_000, "token_type": "bearer", "id_token": id_token()})

    def answer(self, what, document):
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if what != sys.argv[1]:
            self.wfile.write(body)
            return
        try:
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)
        except OSError:
            self.close_connection = True


nonces = []
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
issuer = f"http://127.0.0.1:{server.server_port}"
print(server.server_port, flush=True)
server.serve_forever()
