"""An app that signs in to mfs-authd, by the standard library alone: code with PKCE, as RFC 8252 has it.

app.py sign-in BASE USER PASSWORD-FILE [DEVICE]   signs in and prints the tokens, the code and what else a log must not have
app.py refresh BASE TOKEN-FILE [DEVICE]            prints status and answer of one refresh
app.py load BASE USER PASSWORD-FILE N REPORT       N sign-ins that refresh without a pause until the server is gone or said 503;
                                                   prints "ready" when all have begun, and writes what each has seen to REPORT
app.py attest BASE USER PASSWORD-FILE PHONE        signs in with a phone that attests, at the address PHONE, by App Attest and by Play Integrity, and
                                                   prints status and error of each request, by name
"""
import base64, hashlib, http.client, json, re, secrets, sys, threading, urllib.parse

CLIENT, REDIRECT = "mobile", "com.example.app:/oauth/callback"
SCOPE = "openid profile offline_access"


class Connection:
    def __init__(self, base, timeout=20):
        self.base = urllib.parse.urlsplit(base)
        self.timeout = timeout
        self.http = None
        self.cookies = {}
        # Sent with every request.
        self.headers = {}

    def ask(self, method, path, form=None):
        body = None if form is None else urllib.parse.urlencode(form)
        return self.send(method, path, body, "application/x-www-form-urlencoded")

    def ask_json(self, path, document):
        return self.send("POST", path, json.dumps(document), "application/json")

    def send(self, method, path, body, kind):
        if self.http is None:
            self.http = http.client.HTTPConnection(self.base.hostname, self.base.port, timeout=self.timeout)
        headers = dict(self.headers)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        if body is not None:
            headers["Content-Type"] = kind
        try:
            self.http.request(method, path, body, headers)
            answer = self.http.getresponse()
            body = answer.read().decode()
        except Exception:
            self.http = None
            raise
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                k, v = value.split(";")[0].split("=", 1)
                self.cookies[k] = v
        return answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), body

    def close(self):
        """Forgets the connection; the cookies stay."""
        if self.http is not None:
            self.http.close()
        self.http = None


def proof_key():
    """A verifier and its challenge (RFC 7636)."""
    verifier = secrets.token_urlsafe(48)
    return verifier, base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def authorize_query(device=None, client=CLIENT, redirect=REDIRECT, scope=SCOPE):
    """The query of a request to /authorize, its verifier and its state."""
    verifier, challenge = proof_key()
    state = secrets.token_urlsafe(16)
    query = {
        "response_type": "code", "client_id": client, "redirect_uri": redirect, "state": state, "nonce": secrets.token_urlsafe(16),
        "scope": scope, "code_challenge": challenge, "code_challenge_method": "S256",
    }
    if device:
        query["device_id"] = device
    return urllib.parse.urlencode(query), verifier, state


def authorize(browser, user, password, device=None, client=CLIENT, redirect=REDIRECT, scope=SCOPE):
    """A code that was not redeemed yet, with what redeems it, and the state."""
    query, verifier, state = authorize_query(device, client, redirect, scope)
    status, headers, body = browser.ask("GET", "/authorize?" + query)
    if status == 200:
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', body))
        action = re.search(r'action="([^"]+)"', body).group(1).replace("&amp;", "&")
        typed = {"action": "continue"} if 'value="continue"' in body else {"username": user, "password": password, "action": "sign-in"}
        status, headers, body = browser.ask("POST", action, dict(hidden, **typed))
    assert status == 303, (status, body)
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(headers["location"]).query))
    assert answer["state"] == state, answer
    form = {
        "grant_type": "authorization_code", "code": answer["code"], "code_verifier": verifier,
        "redirect_uri": redirect, "client_id": client,
    }
    if device:
        form["device_id"] = device
    return form, state


def sign_in(browser, user, password, device=None, **asked):
    form, state = authorize(browser, user, password, device, **asked)
    status, headers, body = browser.ask("POST", "/oauth/token", form)
    assert status == 200, (status, body)
    tokens = json.loads(body)
    payload = tokens["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return {"tokens": tokens, "sid": claims["sid"], "sub": claims["sub"], "code": form["code"], "verifier": form["code_verifier"],
            "state": state, "cookies": dict(browser.cookies)}


def refresh(connection, token, device=None, client=CLIENT):
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client}
    if device:
        form["device_id"] = device
    status, _, body = connection.ask("POST", "/oauth/token", form)
    return status, body


def load(base, user, password, count, report):
    browser = Connection(base)
    families = [sign_in(browser, user, password) for _ in range(count)]
    seen = [None] * count

    def work(index):
        family, connection = families[index], Connection(base)
        token, previous, rotations, end = family["tokens"]["refresh_token"], None, 0, "?"
        while True:
            try:
                status, body = refresh(connection, token)
            except ConnectionRefusedError:
                end = "refused"
                break
            except Exception as error:
                end = "cut: " + type(error).__name__
                break
            if status == 503:
                end = "stopping"
                break
            if status != 200:
                end = f"status {status}: {body}"
                break
            previous, token, rotations = token, json.loads(body)["refresh_token"], rotations + 1
        seen[index] = {"sid": family["sid"], "token": token, "previous": previous, "rotations": rotations, "end": end}

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    for thread in threads:
        thread.join()
    with open(report, "w") as file:
        json.dump(seen, file)
    print("done", flush=True)


def attest(base, user, password, phone):
    """Client data and parameters are made by docs/BACKEND-FLOWS.md."""
    server, phone, seen = Connection(base), Connection(phone), {}

    def platform(path, **asked):
        status, _, body = phone.ask_json(path, asked)
        assert status == 200, (path, status)
        return json.loads(body)

    head = platform("/head")

    def evidence(form, credential, path, **more):
        status, _, body = server.ask("POST", "/oauth/attestation_challenge", {"client_id": CLIENT})
        assert status == 200, (status, body)
        challenge = json.loads(body)["challenge"]
        digest = base64.urlsafe_b64encode(hashlib.sha256(credential.encode()).digest()).decode().rstrip("=")
        data = "\n".join(["mfs-attestation-1", challenge, CLIENT, form["device_id"], form["grant_type"], digest])
        sent = base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
        parts = {"attestation_challenge": challenge}
        if path == "/integrity":
            sent = sent.replace("+", "-").replace("/", "_").rstrip("=")
            name = "attestation"
            parts["attestation_type"] = "play-integrity"
        else:
            name = "attestation" if path == "/attest" else "assertion"
            parts.update(attestation_type="apple-app-attest", key_id=head["keyID"])
        parts[name] = platform(path, hash=sent, **more)["object"]
        return parts

    def send(name, form, more):
        status, _, body = server.ask("POST", "/oauth/token", dict(form, **more))
        answer = json.loads(body)
        seen[name] = {"status": status, "error": answer.get("error")}
        return answer.get("refresh_token")

    form, _ = authorize(Connection(base), user, password, "phone-1")
    send("nothing", form, {})
    token = send("key", form, evidence(form, form["code"], "/attest"))
    if token:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": CLIENT, "device_id": "phone-1"}
        send("no assertion", form, {})
        form["refresh_token"] = send("assertion", form, evidence(form, token, "/sign", counter=1))
        send("counter again", form, evidence(form, form["refresh_token"], "/sign", counter=1))
        send("next assertion", form, evidence(form, form["refresh_token"], "/sign", counter=2))
    form, _ = authorize(Connection(base), user, password, "phone-2")
    send("token", form, evidence(form, form["code"], "/integrity"))
    print(json.dumps(seen))


def main():
    words = sys.argv[1:]
    if words[0] == "sign-in":
        password = open(words[3]).read()
        print(json.dumps(sign_in(Connection(words[1]), words[2], password, words[4] if len(words) > 4 else None)))
    elif words[0] == "refresh":
        status, body = refresh(Connection(words[1]), open(words[2]).read().strip(), *words[3:4])
        print(json.dumps({"status": status, "answer": json.loads(body)}))
    elif words[0] == "attest":
        attest(words[1], words[2], open(words[3]).read(), words[4])
    elif words[0] == "load":
        load(words[1], words[2], open(words[3]).read(), int(words[4]), words[5])


if __name__ == "__main__":
    main()
