#!/usr/bin/env python3
"""pages.py MFS-AUTHD: every page of the backend in a real headless Chromium that runs no script, as a person with a keyboard uses it.

Each page is held to the same list: language, title, one heading, names of fields, what is wrong told before the form, contrast in light
and in dark, order and mark of the focus, 320 CSS pixels, headers, and a silent console. Says what is wrong and ends with 1.
"""
import base64
import hashlib
import http.client
import http.server
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TAB, ENTER = "\ue004", "\ue007"
NAME = "alice@example.com"
PASSWORD, NEW_PASSWORD = secrets.token_urlsafe(12), secrets.token_urlsafe(12)
# Names that break nowhere by themselves: they must not push a page beyond a narrow screen.
LONG_CLIENT, LONG_DEVICE = "W" * 79, "M" * 60
SITE = "MFS sign-in"

LOOK = r"""
const probe = document.createElement('div');
document.body.append(probe);
const resolve = text => { probe.style.color = text; return getComputedStyle(probe).color; };
const parts = text => { const p = text.match(/[\d.]+/g).map(Number); return [p[0], p[1], p[2], p.length > 3 ? p[3] : 1]; };
const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat([1]);
const canvas = parts(resolve('Canvas'));
const behind = e => e ? over(parts(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : canvas;
const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const contrasts = [], visible = e => e.offsetParent !== null;
for (const e of document.body.querySelectorAll('*')) {
  if (e === probe || !visible(e)) continue;
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (own || e.tagName === 'INPUT') {
    const under = behind(e);
    contrasts.push([e.tagName + ' ' + (e.id || e.textContent.slice(0, 30)), ratio(over(parts(getComputedStyle(e).color), under), under), 4.5]);
  }
  if (e.tagName === 'INPUT')
    contrasts.push(['border of ' + e.id, ratio(over(parts(getComputedStyle(e).borderTopColor), canvas), behind(e.parentElement)), 3]);
}
const form = document.querySelector('form'), alerts = [...document.querySelectorAll('[role=alert]')];
const controls = [...document.querySelectorAll('input:not([type=hidden], [hidden]), button, a[href]')];
const result = {
  lang: document.documentElement.lang, title: document.title, headings: [...document.querySelectorAll('h1')].map(e => e.innerText),
  mains: document.querySelectorAll('main').length, viewport: document.querySelector('meta[name=viewport]')?.content ?? '',
  canvas: light(canvas), contrasts,
  alerts: alerts.map(e => e.innerText),
  early: alerts.every(e => !form || e.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING),
  ids: [...document.querySelectorAll('[id]')].map(e => e.id),
  fields: controls.filter(e => e.tagName === 'INPUT').map(e => ({
    id: e.id, labels: [...e.labels].map(l => l.innerText), type: e.type, completion: e.autocomplete, value: e.value,
    described: e.getAttribute('aria-describedby'), height: e.getBoundingClientRect().height })),
  buttons: controls.filter(e => e.tagName === 'BUTTON').map(e => ({
    label: e.innerText, height: e.getBoundingClientRect().height, width: e.getBoundingClientRect().width })),
  scripts: [...document.querySelectorAll('*')].filter(e => e.tagName === 'SCRIPT' || e.tabIndex > 0
    || [...e.attributes].some(a => a.name.startsWith('on'))).map(e => e.outerHTML),
  text: document.body.innerText, wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth,
};
probe.remove();
return result;
"""
FOCUS = r"""
const e = document.activeElement, style = e && getComputedStyle(e);
return !e || e === document.body ? null : {
  name: e.tagName === 'BUTTON' ? e.innerText : e.id, mark: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
"""

faults, looked = [], []


def fault(text):
    faults.append(text)
    print(f"pages: {text}", file=sys.stderr)


def check(holds, text):
    if not holds:
        fault(text)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class App(http.server.BaseHTTPRequestHandler):
    """Where the backend sends the browser back to; and a page whose script would show that scripts run."""

    def do_GET(self):
        body = b"<!doctype html><html lang=en><title>off</title><link rel=icon href=data:,><script>document.title = 'on'</script>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Browser:
    """Chromium by chromedriver's WebDriver (W3C), whose calls are plain JSON over HTTP."""

    def __init__(self, profile):
        self.port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}", "--log-level=OFF"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--user-data-dir={profile}"]}
        self.session = self.call("POST", "", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})["sessionId"]
        self.tools("Emulation.setScriptExecutionDisabled", value=True)
        self.tools("Accessibility.enable")

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        session = f"/{self.session}" if hasattr(self, "session") else ""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/session{session}{path}", data,
                                         {"Content-Type": "application/json"}, method=method)
        try:
            return json.load(urllib.request.urlopen(request, timeout=60))["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"pages: {path} {body}: {error.read().decode()[:400]}")

    def tools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def address(self):
        return self.call("GET", "/url")

    def element(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def leave(self, act):
        """Does what leads to another page, and waits for it."""
        self.run("window.isOld = true;")
        act()
        for _ in range(600):
            if self.run("return !window.isOld && document.readyState === 'complete';"):
                return
            time.sleep(0.05)
        raise SystemExit(f"pages: no other page came after {self.address()}")

    def type(self, field, text):
        element = self.element(f"#{field}")
        self.call("POST", f"/element/{element}/clear")
        self.call("POST", f"/element/{element}/value", {"text": text})

    def press(self, key):
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def click(self, label):
        found = self.call("POST", "/element", {"using": "xpath", "value": f"//button[normalize-space()='{label}']"})[ELEMENT]
        self.leave(lambda: self.call("POST", f"/element/{found}/click"))

    def enter(self):
        self.leave(lambda: self.press(ENTER))

    def size(self, width):
        self.tools("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.tools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def stop(self):
        # The driver's browsers with it.
        os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()


def headers_of(browser, name, address, status):
    """What came over the network for this page."""
    page = None
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Network.responseReceived":
            continue
        answer = message["params"]["response"]
        if message["params"]["type"] == "Document":
            page = answer
        elif not answer["url"].endswith("/favicon.ico"):
            fault(f"{name}: it loads {answer['url']}")
    if page is None:
        return fault(f"{name}: no document came over the network")
    check(page["url"].split("#")[0] == address.split("#")[0], f"{name}: the last document was {page['url']}")
    check(page["status"] == status, f"{name}: status {page['status']}, not {status}")
    fields = {key.lower(): value for key, value in page["headers"].items()}
    policies = dict((part.strip().split(" ", 1) + [""])[:2] for part in fields.get("content-security-policy", "").split(";"))
    check(policies.get("default-src") == "'none'" and policies.get("frame-ancestors") == "'none'"
          and policies.get("base-uri") == "'none'" and "script-src" not in policies,
          f"{name}: Content-Security-Policy is {fields.get('content-security-policy')!r}")
    for field, good in (("x-content-type-options", {"nosniff"}), ("x-frame-options", {"DENY"}), ("cache-control", {"no-store"}),
                        ("referrer-policy", {"no-referrer", "same-origin"}), ("content-type", {"text/html; charset=utf-8"})):
        check(fields.get(field) in good, f"{name}: {field} is {fields.get(field)!r}")
    return None


def look(browser, name, heading, order, status=200, alert=None):
    """Holds the page that is open to the list. `order` is what Tab reaches, one after the other."""
    looked.append(name)
    address = browser.address()
    headers_of(browser, name, address, status)
    browser.size(1000)
    for scheme in "light", "dark":
        browser.scheme(scheme)
        seen = browser.run(LOOK)
        check((seen["canvas"] > 0.5) == (scheme == "light"), f"{name}: not {scheme} where the system is")
        for what, found, least in seen["contrasts"]:
            check(found >= least, f"{name}, {scheme}: contrast of {what} is {found:.2f}, less than {least}")
        check(len(seen["contrasts"]) >= 2, f"{name}, {scheme}: nothing was found to read")
    browser.scheme("light")
    check(seen["lang"] == "en", f"{name}: lang is {seen['lang']!r}")
    check(seen["headings"] == [heading], f"{name}: the headings are {seen['headings']}")
    check(seen["title"].endswith(f"{heading} - {SITE}"), f"{name}: the title is {seen['title']!r}")
    check(seen["mains"] == 1, f"{name}: {seen['mains']} main")
    check("width=device-width" in seen["viewport"] and not re.search("maximum-scale|user-scalable", seen["viewport"]),
          f"{name}: the viewport is {seen['viewport']!r}")
    check(len(set(seen["ids"])) == len(seen["ids"]), f"{name}: an id stands twice: {seen['ids']}")
    # Nothing that runs is reported as blocked where scripts are off.
    check(not seen["scripts"], f"{name}: a script, or an order of its own: {seen['scripts']}")
    if alert is None:
        check(not seen["alerts"], f"{name}: told as wrong: {seen['alerts']}")
    else:
        check(len(seen["alerts"]) == 1 and alert in seen["alerts"][0], f"{name}: told as wrong: {seen['alerts']}, not {alert!r}")
        check(seen["early"], f"{name}: what is wrong stands behind the form")
    for field in seen["fields"]:
        check(len(field["labels"]) == 1 and field["labels"][0].strip(), f"{name}: the labels of {field['id']} are {field['labels']}")
        check(field["completion"], f"{name}: {field['id']} has no autocomplete")
        check(field["type"] != "password" or not field["value"], f"{name}: {field['id']} is filled in")
        if alert is not None:
            check(field["described"] == "problem", f"{name}: {field['id']} does not refer to what is wrong")
    for control in seen["fields"] + seen["buttons"]:
        check(control["height"] >= 24, f"{name}: only {control['height']} pixels high: {control}")
    # The browser's own account for assistive technology.
    tree = [node for node in browser.tools("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    names = [node["name"]["value"] for node in tree if node["role"]["value"] == "textbox"]
    check(names == [field["labels"][0] for field in seen["fields"]], f"{name}: fields are announced as {names}")
    names = [node["name"]["value"] for node in tree if node["role"]["value"] == "button"]
    check(names == [button["label"] for button in seen["buttons"]], f"{name}: buttons are announced as {names}")
    walk(browser, name, order)
    browser.size(320)
    narrow = browser.run(LOOK)
    check(narrow["wide"] <= narrow["room"] <= 320, f"{name}: {narrow['wide']} pixels wide on a screen of {narrow['room']}")
    browser.size(1000)
    for entry in browser.log("browser"):
        # A page with an error status is told as such, and is no fault of the page.
        own = entry["source"] == "network" and f"status of {status} " in entry["message"] and entry["message"].startswith(address)
        check(status >= 400 and own, f"{name}: on the console: {entry['message']}")
    return seen


def walk(browser, name, order):
    """What Tab reaches, from the beginning."""
    browser.run("document.activeElement.blur(); window.getSelection().removeAllRanges(); window.scrollTo(0, 0);")
    found = []
    for _ in order:
        browser.press(TAB)
        focus = browser.run(FOCUS)
        if focus is None:
            break
        check(focus["mark"], f"{name}: nothing marks the focus on {focus['name']}")
        found.append(focus["name"])
    check(found == order, f"{name}: Tab reaches {found}, not {order}")


class Backend:
    """mfs-authd in a folder of its own, with one user, an app of the house and one of somebody else."""

    def __init__(self, program, folder, callback):
        self.program, self.callback, self.port = program, callback, free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8",
            "MFS_AUTHD_ISSUER": self.base, "MFS_AUTHD_LISTEN_PORT": str(self.port),
            "MFS_AUTHD_DATABASE": f"{folder}/auth.db", "MFS_AUTHD_KEY_FILE": f"{folder}/key",
        }
        self.call("init")
        self.call("user", "add", NAME, input=PASSWORD)
        self.call("client", "add", "mobile", "--name", LONG_CLIENT, "--redirect-uri", callback, "--grant", "authorization_code",
                  "--grant", "refresh_token", "--grant", "urn:ietf:params:oauth:grant-type:device_code")
        self.call("client", "add", "other", "--name", "Another app", "--redirect-uri", callback, "--third-party")
        self.log = open(f"{folder}/log", "w")
        self.server = subprocess.Popen([program, "serve"], env=self.environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        json.loads(self.server.stdout.readline())

    def call(self, *arguments, **options):
        subprocess.run([self.program, *arguments], check=True, capture_output=True, env=self.environment, text=True, **options)

    def post(self, path, **form):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", path, urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"pages: {path} answered {answer.status} {text}")
        return json.loads(text)

    def authorize(self, client, **more):
        self.verifier, self.state = secrets.token_urlsafe(48), secrets.token_urlsafe(12)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return self.base + "/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": self.callback, "scope": "openid profile email offline_access",
            "state": self.state, "nonce": "n", "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256", **more})

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        check(self.server.wait(30) == 0, "mfs-authd ended badly")


def answered(browser, backend, name):
    """What the app got, when the browser is back there."""
    address = browser.address()
    check(address.startswith(backend.callback + "?"), f"{name}: the browser is at {address}, not at the app")
    got = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
    check(got.get("state") == backend.state and got.get("iss") == backend.base, f"{name}: the app got {got}")
    for entry in browser.log("browser"):
        fault(f"{name}: on the console: {entry['message']}")
    browser.log("performance")
    return got


def sign_in(browser, password=PASSWORD):
    browser.type("username", NAME)
    browser.type("password", password)
    browser.enter()


SIGN_IN = ["username", "password", "Sign in", "Cancel"]


def signing_in(browser, backend):
    browser.open(backend.authorize("mobile", device_id="dev-1"))
    look(browser, "sign-in", "Sign in", SIGN_IN)
    sign_in(browser, "not the password")
    seen = look(browser, "sign-in, wrong password", "Sign in", SIGN_IN, status=401, alert="Wrong email or password.")
    check([field["value"] for field in seen["fields"]] == [NAME, ""], "sign-in, wrong password: the name is not kept")
    check(seen["title"] != f"Sign in - {SITE}", "sign-in, wrong password: the title, which is read out first, does not say it")
    browser.type("password", "")
    browser.click("Sign in")
    look(browser, "sign-in, no password", "Sign in", SIGN_IN, status=400, alert="Enter your email")
    browser.type("password", PASSWORD)
    browser.enter()
    got = answered(browser, backend, "sign-in")
    check("code" in got, f"sign-in: the app got {got}")
    backend.post("/oauth/token", grant_type="authorization_code", code=got["code"], code_verifier=backend.verifier,
                 redirect_uri=backend.callback, client_id="mobile", device_id="dev-1", device_name=LONG_DEVICE, device_platform="ios")


def consenting(browser, backend):
    browser.open(backend.authorize("other"))
    seen = look(browser, "consent", "Allow access?", ["Allow", "Refuse"])
    check("Another app" in seen["text"], "consent: it does not say who asks")
    browser.click("Refuse")
    check(answered(browser, backend, "consent refused").get("error") == "access_denied", "consent refused: the app is not told")
    browser.open(backend.authorize("other"))
    browser.click("Allow")
    check("code" in answered(browser, backend, "consent"), "consent: no code")


def going_on(browser, backend):
    browser.open(backend.authorize("mobile"))
    seen = look(browser, "signed in already", "Continue?", ["Continue", "Cancel"])
    check(NAME in seen["text"] and LONG_CLIENT[:20] in seen["text"], "signed in already: it does not say who and to what")
    browser.click("Cancel")
    check(answered(browser, backend, "not going on").get("error") == "access_denied", "not going on: the app is not told")
    browser.open(backend.authorize("mobile"))
    browser.click("Continue")
    check("code" in answered(browser, backend, "going on"), "going on: no code")


def device_code(browser, backend):
    asked = backend.post("/oauth/device_authorization", client_id="mobile", scope="openid profile", device_id="dev-2")
    browser.open(asked["verification_uri"])
    look(browser, "device code", "Let a device in", ["user_code", "Continue"])
    browser.type("user_code", "BCDF-BCDF")
    browser.enter()
    look(browser, "device code, unknown", "Let a device in", ["user_code", "Continue"], status=404, alert="There is no such code")
    browser.type("user_code", asked["user_code"].lower())
    browser.click("Continue")
    seen = look(browser, "device code, decision", "Let this device in?", ["Allow", "Refuse"])
    check(asked["user_code"] in seen["text"], "device code, decision: the code to compare is missing")
    browser.click("Allow")
    look(browser, "device let in", "The device is let in", [])
    backend.post("/oauth/token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=asked["device_code"],
                 client_id="mobile", device_id="dev-2", device_name="Television")


def devices(browser, backend):
    browser.open(backend.base + "/devices")
    seen = browser.run(LOOK)
    labels = [button["label"] for button in seen["buttons"]]
    check(sorted(labels) == sorted([f"Remove {LONG_DEVICE}", "Remove Television"]), f"devices: the buttons are {labels}")
    look(browser, "devices", "Your devices", labels)
    browser.click("Remove Television")
    look(browser, "devices, one removed", "Your devices", [f"Remove {LONG_DEVICE}"])
    browser.click(f"Remove {LONG_DEVICE}")
    seen = look(browser, "devices, none", "Your devices", [])
    check("No device is signed in." in seen["text"], "devices, none: it does not say so")


def signing_out(browser, backend):
    browser.open(backend.base + "/oauth/end_session")
    look(browser, "sign out", "Sign out?", ["Sign out"])
    browser.click("Sign out")
    look(browser, "signed out", "Signed out", [])


def password(browser, backend):
    order = ["password", "new-password", "new-password-again", "Change password"]
    browser.open(backend.base + "/password")
    look(browser, "sign-in of the server's own", "Sign in", SIGN_IN)
    sign_in(browser)
    look(browser, "password", "Change your password", order)

    def change(old):
        for field, text in zip(order, (old, NEW_PASSWORD, NEW_PASSWORD)):
            browser.type(field, text)
        browser.enter()

    change("not the password")
    look(browser, "password, wrong", "Change your password", order, status=401, alert="The current password is wrong.")
    change(PASSWORD)
    look(browser, "password changed", "Password changed", [])
    browser.open(backend.authorize("mobile", device_id="dev-1"))
    sign_in(browser, NEW_PASSWORD)
    check("code" in answered(browser, backend, "new password"), "new password: it does not sign in")


def errors(browser, backend):
    browser.open(backend.authorize("nobody"))
    look(browser, "error", "This sign-in cannot go on", [], status=400, alert="")
    # The cookie that a form belongs to is gone: the form is not taken.
    browser.open(backend.authorize("mobile", prompt="login"))
    browser.call("DELETE", "/cookie/mfs-page")
    browser.log("performance")
    sign_in(browser, NEW_PASSWORD)
    look(browser, "error, foreign form", "This sign-in cannot go on", [], status=403, alert="did not come from this server's page")
    browser.open(backend.authorize("mobile", prompt="login"))
    browser.click("Cancel")
    check(answered(browser, backend, "cancelled").get("error") == "access_denied", "cancelled: the app is not told")


def main():
    app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.mkdir(f"{folder}/profile")
        backend = Backend(os.path.abspath(sys.argv[1]), folder, f"http://127.0.0.1:{app.server_port}/callback")
        try:
            browser = Browser(f"{folder}/profile")
            try:
                browser.open(f"http://127.0.0.1:{app.server_port}/")
                check(browser.call("GET", "/title") == "off", "scripts run in this browser")
                browser.log("browser"), browser.log("performance")
                for part in signing_in, consenting, going_on, device_code, devices, signing_out, password, errors:
                    part(browser, backend)
            finally:
                browser.stop()
        finally:
            backend.stop()
    if faults:
        sys.exit(f"pages: {len(faults)} faults on {len(looked)} pages")
    print(f"Chromium, without scripts: {len(looked)} pages of mfs-authd are as they should be, in light and dark and at 320 pixels")


if __name__ == "__main__":
    main()
