"""Independent clients of the backend: Authlib and oauthlib sign in by code with PKCE, refresh and revoke by what discovery
tells them, a resource server asks about a token by Authlib, and joserfc reads the keys and validates each token. On stdin come the password and the
resource server's name and secret; each step prints a line of JSON."""
import html.parser
import json
import os
import sys
import urllib.parse

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc import jwt
from joserfc.jwk import KeySet
from oauthlib.oauth2 import InvalidGrantError, WebApplicationClient

ISSUER, CLIENT, REDIRECT, USER = sys.argv[1:5]
PASSWORD, RESOURCE, RESOURCE_SECRET = (sys.stdin.readline().rstrip("\n") for _ in range(3))
NONCE = "a nonce of the client's"
SCOPE = "openid profile email offline_access"


class Form(html.parser.HTMLParser):
    """The page's form, as a browser reads it."""

    def __init__(self, text):
        super().__init__()
        self.action, self.hidden = None, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.action = attributes["action"]
        if tag == "input" and attributes.get("type") == "hidden":
            self.hidden[attributes["name"]] = attributes["value"]


def report(step, **facts):
    print(json.dumps({"step": step, **facts}), flush=True)


def browse(address):
    """Where the browser is sent after the person has signed in."""
    browser = requests.Session()
    page = browser.get(address, timeout=10)
    page.raise_for_status()
    form = Form(page.text)
    sent = browser.post(
        urllib.parse.urljoin(page.url, form.action), allow_redirects=False, timeout=10,
        data={**form.hidden, "username": USER, "password": PASSWORD, "action": "sign-in"})
    assert sent.status_code == 303, (sent.status_code, sent.text)
    return sent.headers["Location"]


def validated(token, kind, audience, **expected):
    """A token's header and claims, read by joserfc with the keys that are published."""
    document = requests.get(metadata["jwks_uri"], timeout=10).json()
    decoded = jwt.decode(token, KeySet.import_key_set(document), algorithms=["EdDSA", "Ed25519", "RS256"])
    assert decoded.header["typ"] == kind, decoded.header
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": ISSUER}, aud={"essential": True, "value": audience}, exp={"essential": True},
        iat={"essential": True}, sub={"essential": True},
        **{name: {"essential": True, "value": value} for name, value in expected.items()}).validate(decoded.claims)
    return decoded


def check_tokens(tokens, **expected):
    access = validated(tokens["access_token"], "at+jwt", "api", client_id=CLIENT)
    for name in ("jti", "scope", "sid"):
        assert isinstance(access.claims[name], str) and access.claims[name], name
    assert access.claims["exp"] - access.claims["iat"] <= 900
    identity = validated(tokens["id_token"], "JWT", CLIENT, **expected)
    # at_hash and auth_time, as Authlib computes and wants them.
    claims = CodeIDToken(
        identity.claims, identity.header, {"auth_time": {"essential": True}},
        {"access_token": tokens["access_token"], "client_id": CLIENT})
    claims.validate(leeway=60)
    assert access.claims["sid"] == identity.claims["sid"]
    return access, identity


metadata = requests.get(ISSUER + "/.well-known/openid-configuration", timeout=10).json()
for kind, path in (
        (OpenIDProviderMetadata, "openid-configuration"), (AuthorizationServerMetadata, "oauth-authorization-server")):
    document = kind(requests.get(f"{ISSUER}/.well-known/{path}", timeout=10).json())
    # Authlib wants https of every address; the trial server on loopback has none.
    for name, value in list(document.items()):
        if isinstance(value, str) and value.startswith(ISSUER):
            document[name] = value.replace("http://", "https://", 1)
    # OpenID Connect Discovery 3 wants RS256 of every provider, which is there by choice.
    objection = None
    if "RS256" not in document["id_token_signing_alg_values_supported"]:
        try:
            document.validate()
        except ValueError as error:
            objection = str(error)
        document["id_token_signing_alg_values_supported"] += ["RS256"]
    document.validate()
    report("discovery", path=path, objection=objection)


def authlib():
    client = OAuth2Session(
        CLIENT, scope=SCOPE, redirect_uri=REDIRECT, code_challenge_method="S256", token_endpoint_auth_method="none",
        revocation_endpoint_auth_method="none")
    verifier = "v" * 64
    address, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=NONCE)
    location = browse(address)
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
    assert answer["state"] == state and answer["iss"] == ISSUER
    tokens = client.fetch_token(
        metadata["token_endpoint"], authorization_response=location, state=state, code_verifier=verifier)
    access, identity = check_tokens(tokens, nonce=NONCE)
    report("authlib code", alg=identity.header["alg"], name=identity.claims["name"])
    info = client.get(metadata["userinfo_endpoint"], timeout=10).json()
    assert info["sub"] == identity.claims["sub"] and info["email"] == identity.claims["email"]
    old = tokens["refresh_token"]
    fresh = client.refresh_token(metadata["token_endpoint"], refresh_token=old)
    renewed, again = check_tokens(fresh)
    assert fresh["refresh_token"] != old and renewed.claims["jti"] != access.claims["jti"]
    for name in ("sub", "auth_time", "sid"):
        assert again.claims[name] == identity.claims[name], name
    report("authlib refresh")
    resource = OAuth2Session(RESOURCE, RESOURCE_SECRET, token_endpoint_auth_method="client_secret_basic")
    for _ in range(2):
        answer = resource.introspect_token(metadata["introspection_endpoint"], token=fresh["access_token"])
        assert answer.json()["active"] is True and answer.json()["sub"] == identity.claims["sub"], answer.text
        resource = OAuth2Session(RESOURCE, RESOURCE_SECRET, token_endpoint_auth_method="client_secret_post")
    answer = client.revoke_token(
        metadata["revocation_endpoint"], token=fresh["refresh_token"], token_type_hint="refresh_token")
    assert answer.status_code == 200, answer.text
    dead = client.get(metadata["userinfo_endpoint"], timeout=10)
    report("authlib revoke", userinfo=dead.status_code)


def oauthlib():
    client = WebApplicationClient(CLIENT)
    verifier = client.create_code_verifier(96)
    challenge = client.create_code_challenge(verifier, "S256")
    address = client.prepare_request_uri(
        metadata["authorization_endpoint"], redirect_uri=REDIRECT, scope=SCOPE, state="of oauthlib",
        code_challenge=challenge, code_challenge_method="S256", nonce=NONCE)
    location = browse(address)
    code = client.parse_request_uri_response(location, state="of oauthlib")["code"]

    def post(address, headers, body):
        return requests.post(address, headers=headers, data=body, timeout=10)

    # It hands back which body, address and fields a request has, and reads the answer.
    address, headers, body = client.prepare_token_request(
        metadata["token_endpoint"], authorization_response=location, redirect_url=REDIRECT, state="of oauthlib",
        code_verifier=verifier, client_id=CLIENT)
    tokens = client.parse_request_body_response(post(address, headers, body).text, scope=SCOPE)
    assert code and not tokens.scope_changed
    check_tokens(tokens, nonce=NONCE)
    report("oauthlib code")
    address, headers, body = client.prepare_refresh_token_request(
        metadata["token_endpoint"], refresh_token=tokens["refresh_token"], client_id=CLIENT)
    fresh = client.parse_request_body_response(post(address, headers, body).text, scope=SCOPE)
    check_tokens(fresh)
    report("oauthlib refresh", rotated=fresh["refresh_token"] != tokens["refresh_token"])
    address, headers, body = client.prepare_token_revocation_request(
        metadata["revocation_endpoint"], token=fresh["refresh_token"], token_type_hint="refresh_token", client_id=CLIENT)
    assert post(address, headers, body).status_code == 200
    address, headers, body = client.prepare_refresh_token_request(
        metadata["token_endpoint"], refresh_token=fresh["refresh_token"], client_id=CLIENT)
    try:
        client.parse_request_body_response(post(address, headers, body).text)
    except InvalidGrantError as error:
        report("oauthlib revoke", error=error.error)


authlib()
oauthlib()
