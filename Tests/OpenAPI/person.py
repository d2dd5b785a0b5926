"""Gives the requests that schemathesis makes what chance does not find: clients, passwords, codes, tokens and forms that are good now.

Loaded by schemathesis (SCHEMATHESIS_HOOKS). What a request gets is drawn by a seed, so that a run can be repeated. At the end the answers that were
met are written to OPENAPI_SEEN.
"""
import atexit
import base64
import hashlib
import html
import http.client
import json
import os
import random
import re
import urllib.parse

import schemathesis

ORIGIN = urllib.parse.urlsplit(os.environ["OPENAPI_ORIGIN"])
REDIRECT = "com.example.app:/oauth/callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
SESSION, PAGE = "__Host-mfs-session", "__Host-mfs-page"
REQUEST = {
    "response_type": "code", "client_id": "mobile", "redirect_uri": REDIRECT, "scope": "openid profile offline_access",
    "code_challenge": CHALLENGE, "code_challenge_method": "S256",
}
draw = random.Random(os.environ.get("OPENAPI_SEED", "20250601"))
seen, documented, requests = set(), set(), 0


class Person:
    """Somebody who is signed in in a browser and in an app."""

    def __init__(self):
        self.cookies, self.passwords, self.tokens = {}, ["correct horse battery staple", "another horse battery staple"], None

    def ask(self, method, path, form=None):
        connection = http.client.HTTPConnection(ORIGIN.hostname, ORIGIN.port, timeout=20)
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, None if form is None else urllib.parse.urlencode(form), headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        for field in answer.headers.get_all("Set-Cookie") or []:
            name, value = field.split(";")[0].split("=", 1)
            self.cookies[name] = value
        location, status = answer.headers.get("Location"), answer.status
        connection.close()
        return status, location, body

    def form(self, path):
        """The hidden fields of a page, by the address that its form is posted to."""
        body = self.ask("GET", path)[2]
        action = re.search(r'action="([^"]+)"', body)
        return html.unescape(action.group(1)) if action else None, dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', body))

    def sign_in(self):
        self.cookies.pop(SESSION, None)
        here, hidden = self.form("/devices")
        for _ in self.passwords:
            form = hidden | {"username": "alice@example.com", "password": self.passwords[0], "action": "sign-in"}
            if self.ask("POST", here, form)[0] == 303:
                return
            self.passwords.reverse()
        raise RuntimeError("alice cannot sign in")

    def browser(self):
        if 'value="continue"' not in self.ask("GET", "/authorize?" + urllib.parse.urlencode(REQUEST))[2]:
            self.sign_in()

    def code(self, device=None):
        self.browser()
        asked = REQUEST | ({"device_id": device} if device else {})
        here, hidden = self.form("/authorize?" + urllib.parse.urlencode(asked))
        location = self.ask("POST", here, hidden | {"action": "continue"})[1]
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))["code"]

    def app(self, scope=None):
        """Tokens that are good: those of the last time, when they still are."""
        if self.tokens is not None:
            form = {
                "grant_type": "refresh_token", "client_id": "mobile", "refresh_token": self.tokens["refresh_token"],
                "device_id": self.tokens["device_id"],
            }
            status, _, body = self.ask("POST", "/oauth/token", form | ({"scope": scope} if scope else {}))
            # Fewer scopes have no ID token; the last one is good for a hint all the same.
            self.tokens = self.tokens | json.loads(body) if status == 200 else None
        if self.tokens is None:
            device = f"device-{draw.randrange(3)}"
            form = {
                "grant_type": "authorization_code", "client_id": "mobile", "redirect_uri": REDIRECT, "code": self.code(device),
                "code_verifier": VERIFIER, "device_id": device,
            }
            status, _, body = self.ask("POST", "/oauth/token", form)
            if status != 200:
                raise RuntimeError(f"no tokens: {status} {body}")
            self.tokens = json.loads(body) | {"device_id": form["device_id"]}
        return self.tokens

    def tag(self, headers):
        """What the list of what is denied is called now."""
        connection = http.client.HTTPConnection(ORIGIN.hostname, ORIGIN.port, timeout=20)
        connection.request("GET", "/oauth/denials", None, headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.headers["ETag"]

    def device(self):
        return json.loads(self.ask("POST", "/oauth/device_authorization", {"client_id": "mobile", "scope": "openid"})[2])


person = Person()


def often():
    return draw.random() < 0.6


def token_form(body):
    kind = draw.choice(["code", "refresh", "device", "exchange"])
    if kind == "code":
        good = {"grant_type": "authorization_code", "code": person.code(), "code_verifier": VERIFIER, "redirect_uri": REDIRECT}
    elif kind == "refresh":
        tokens = person.app()
        good = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "device_id": tokens["device_id"]}
        person.tokens = None
    elif kind == "device":
        device = person.device()
        if often():
            decide(device["user_code"], draw.choice(["allow", "refuse"]))
        good = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device["device_code"]}
    else:
        good = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
                "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_token": person.app()["id_token"]}
    return merge(body, good, ["device_id", "scope", "nonce"])


def merge(body, good, doubtful):
    """What was made up, with the good fields in place of its own; what would spoil them is left out often."""
    body = {name: value for name, value in body.items() if name not in doubtful or not often()}
    return body | {name: value for name, value in good.items() if draw.random() < 0.95}


def decide(user_code, action):
    person.browser()
    here, hidden = person.form("/device")
    body = person.ask("POST", here, hidden | {"user_code": user_code, "action": "continue"})[2]
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', body))
    person.ask("POST", here, hidden | {"action": action})


def page_form(case, path, body):
    """A form of a page of ours, as the page has it."""
    is_signed_in = draw.random() < 0.75
    if is_signed_in:
        person.browser()
    else:
        person.cookies.pop(SESSION, None)
    if path == "/authorize":
        case.query = dict(REQUEST, **draw.choice([{}, {"prompt": "login"}, {"client_id": "other", "prompt": "consent", "device_id": "d"}]))
        here, hidden = person.form(path + "?" + urllib.parse.urlencode(case.query))
    elif path == "/oauth/end_session":
        case.query = {}
        here, hidden = person.form(path + "?")
    else:
        case.query = {}
        here, hidden = person.form(path)
    own = {
        "/authorize": ["allow", "sign-in", "cancel", "continue"], "/oauth/end_session": ["sign-out"], "/device": ["continue", "allow", "refuse"],
        "/devices": ["remove"], "/password": ["change"],
    }[path]
    good = hidden | {"action": draw.choice(own if is_signed_in else ["sign-in", "sign-in", "cancel"])}
    if path != "/oauth/end_session":
        good |= {"username": "alice@example.com", "password": draw.choice([*person.passwords, person.passwords[0], "wrong"])}
    if path == "/device" and is_signed_in:
        good["user_code"] = draw.choice([person.device()["user_code"], "BCDF-GHJK", "?"])
        if good["action"] != "continue":
            page = person.ask("POST", here, hidden | {"user_code": good["user_code"], "action": "continue"})[2]
            good |= dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
    if path == "/devices" and is_signed_in:
        if often():
            person.app()
        good["device"] = draw.choice([good.get("device", "device-0"), "device-9"])
    if path == "/password":
        new = draw.choice([person.passwords[1], person.passwords[1], "short"])
        good |= {"new-password": new, "new-password-again": new}
    case.cookies = {k: v for k, v in person.cookies.items() if v}
    return merge(body, good, [])


@schemathesis.hook
def before_call(context, case, kwargs):
    # A redirect leads into an app.
    kwargs["allow_redirects"] = False
    operation = case.operation
    for code in operation.definition.raw["responses"]:
        documented.add((operation.definition.raw["operationId"], code))
    if case.method.upper() != operation.method.upper() or draw.random() < 0.3:
        return
    path, body = operation.path, case.body if isinstance(case.body, dict) else {}
    post = case.method.upper() == "POST"
    if path in ("/authorize", "/oauth/end_session", "/device", "/devices", "/password"):
        if post and draw.random() < 0.8:
            case.body = page_form(case, path, body)
            return
        if often():
            person.browser()
            case.cookies = {SESSION: person.cookies[SESSION], PAGE: person.cookies[PAGE]}
        if path == "/authorize":
            made_up = dict(case.query or {})
            doubtful = [] if draw.random() < 0.3 else ["prompt", "max_age", "id_token_hint", "request", "request_uri", "response_mode"]
            if post:
                case.body = merge(body, REQUEST, [*doubtful, "action"])
            else:
                case.query = merge(made_up, REQUEST, doubtful)
        if path == "/oauth/end_session" and often():
            good = {"id_token_hint": person.app()["id_token"], "client_id": "mobile", "post_logout_redirect_uri": "com.example.app:/signed-out"}
            if post:
                case.body = merge(body, good, ["action"])
            else:
                case.query = merge(dict(case.query or {}), good, [])
        return
    if path in ("/oauth/userinfo", "/oauth/logout"):
        scope = "profile" if path == "/oauth/userinfo" and draw.random() < 0.2 else None
        person.app()
        case.headers = dict(case.headers or {}, Authorization="Bearer " + person.app(scope)["access_token"])
        return
    if path in ("/oauth/introspect", "/oauth/denials"):
        resource = {"Authorization": "Basic " + base64.b64encode(os.environ["OPENAPI_RESOURCE"].encode()).decode()}
        case.headers = dict(case.headers or {}, **resource)
        if post:
            kind = draw.choice(["access_token", "access_token", "refresh_token"])
            case.body = merge(body, {"token": person.app()[kind]}, ["client_id", "client_secret"])
        elif often():
            case.query = {}
            case.headers["If-None-Match"] = person.tag(resource)
        return
    if not post:
        return
    if isinstance(case.headers, dict) or case.headers is not None:
        if often():
            case.headers.pop("Authorization", None)
    if path == "/oauth/token":
        body = token_form(body)
    elif path == "/oauth/revoke":
        kind = draw.choice(["refresh_token", "access_token", "id_token"])
        body = merge(body, {"token": person.app()[kind]}, [])
        person.tokens = None
    elif path == "/oauth/device_authorization":
        body = merge(body, {"scope": "openid"}, ["device_id"])
    case.body = body | {"client_id": "mobile" if draw.random() < 0.9 else "other"}


@schemathesis.hook
def after_call(context, case, response):
    global requests
    requests += 1
    if case.method.upper() == case.operation.method.upper():
        seen.add((case.operation.definition.raw["operationId"], str(response.status_code)))


@atexit.register
def write():
    with open(os.environ["OPENAPI_SEEN"], "w") as file:
        json.dump({"seen": sorted(seen & documented), "documented": sorted(documented), "requests": requests}, file)
