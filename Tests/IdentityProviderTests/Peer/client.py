"""An independent client of the lab's identity provider: joserfc reads the keys and validates the tokens, Authlib signs in by
code with PKCE, refreshes and revokes. The password comes on stdin; each step prints a line of JSON."""
import html.parser
import json
import sys
import urllib.parse

import requests
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

ISSUER, CLIENT, USER, ALGORITHM = sys.argv[1:5]
PASSWORD = sys.stdin.readline().rstrip("\n")
REDIRECT = "http://127.0.0.1:54321/callback"
NONCE = "a nonce of the client's"


class Form(html.parser.HTMLParser):
    """The address of the page's form, as a browser reads it."""

    action = None

    def handle_starttag(self, tag, attributes):
        if tag == "form":
            self.action = dict(attributes)["action"]


def report(step, **facts):
    print(json.dumps({"step": step, **facts}), flush=True)


def validate(token, metadata, **expected):
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())
    decoded = jwt.decode(token, keys, algorithms=metadata["id_token_signing_alg_values_supported"])
    options = {name: {"essential": True, "value": value} for name, value in expected.items()}
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": ISSUER}, aud={"essential": True, "value": CLIENT}, exp={"essential": True},
        iat={"essential": True}, **options).validate(decoded.claims)
    return decoded


metadata = requests.get(ISSUER + "/.well-known/openid-configuration", timeout=10).json()
report("metadata", issuer=metadata["issuer"])

client = OAuth2Session(
    CLIENT, scope="openid profile email", redirect_uri=REDIRECT, code_challenge_method="S256",
    token_endpoint_auth_method="none", revocation_endpoint_auth_method="none")
verifier = "v" * 64
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=NONCE)

# The browser: it reads the page, fills in the form and stops at the redirect.
browser = requests.Session()
page = browser.get(address, timeout=10)
form = Form()
form.feed(page.text)
sent = browser.post(
    urllib.parse.urljoin(page.url, form.action), data={"username": USER, "password": PASSWORD, "action": "sign-in"},
    allow_redirects=False, timeout=10)
answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(sent.headers["Location"]).query))
report("authorized", state=answer["state"] == state, iss=answer["iss"])

tokens = client.fetch_token(
    metadata["token_endpoint"], authorization_response=sent.headers["Location"], code_verifier=verifier)
token = validate(tokens["id_token"], metadata, nonce=NONCE, sub=USER)
report("tokens", alg=token.header["alg"], kid=bool(token.header["kid"]), user=token.claims["preferred_username"])

info = client.get(metadata["userinfo_endpoint"], timeout=10).json()
report("userinfo", sub=info["sub"], email=info["email"])

old = tokens["refresh_token"]
fresh = client.refresh_token(metadata["token_endpoint"], refresh_token=old)
validate(fresh["id_token"], metadata, sub=USER)
report("refreshed", rotated=fresh["refresh_token"] != old)

revoked = client.revoke_token(
    metadata["revocation_endpoint"], token=fresh["refresh_token"], token_type_hint="refresh_token")
dead = requests.post(
    metadata["token_endpoint"], timeout=10,
    data={"grant_type": "refresh_token", "refresh_token": fresh["refresh_token"], "client_id": CLIENT})
report("revoked", status=revoked.status_code, after=dead.json()["error"])

# The second sign-in asks nobody.
again, _ = client.create_authorization_url(
    metadata["authorization_endpoint"], code_verifier=verifier, nonce=NONCE, prompt="none")
silent = browser.get(again, allow_redirects=False, timeout=10)
report("silent", code="code=" in silent.headers["Location"])

ended = browser.get(
    metadata["end_session_endpoint"], allow_redirects=False, timeout=10,
    params={"id_token_hint": fresh["id_token"], "post_logout_redirect_uri": REDIRECT, "state": "bye"})
report("ended", location=ended.headers["Location"])
