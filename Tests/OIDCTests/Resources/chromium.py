#!/usr/bin/env python3
"""Opens a page in a real headless Chromium, signs in there, and waits for the page of this machine's that ends it.

The same environment as person.py. It drives chromedriver by WebDriver (W3C), whose calls are plain JSON over HTTP.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
profile = tempfile.TemporaryDirectory()
driver = subprocess.Popen(["chromedriver", f"--port={port}", "--log-level=OFF"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True)


def call(method, path, body=None):
    data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"},
                                     method=method)
    return json.load(urllib.request.urlopen(request, timeout=60))["value"]


def find(session, selector):
    try:
        return call("POST", f"/session/{session}/element", {"using": "css selector", "value": selector})[ELEMENT]
    except urllib.error.HTTPError:
        return None


def wait(what, look):
    for _ in range(300):
        found = look()
        if found:
            return found
        time.sleep(0.1)
    sys.exit(f"chromium: {what} did not come; the page is {title()!r}")


try:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.05)
    session = call("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": [
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--user-data-dir={profile.name}"]}}}}
    )["sessionId"]

    def title():
        return call("GET", f"/session/{session}/title")

    def ended():
        return "- mfsctl" in title() and "moment" not in title()

    call("POST", f"/session/{session}/url", {"url": sys.argv[1]})
    wait("a page to sign in on", lambda: ended() or find(session, "input[type=password]"))
    if not ended():
        user = find(session, "input[name=username], input#username")
        password = find(session, "input[type=password]")
        with open(os.environ["PERSON_PASSWORD"]) as file:
            for field, text in ((user, "alice"), (password, file.read())):
                call("POST", f"/session/{session}/element/{field}/clear")
                call("POST", f"/session/{session}/element/{field}/value", {"text": text})
        button = find(session, "button[type=submit], form button")
        call("POST", f"/session/{session}/element/{button}/click")

        # glewlwyd asks once more whether to go on as this user.
        def onwards():
            # An element may go while it is looked at: then it is looked for again.
            try:
                return ended() or go_on()
            except urllib.error.HTTPError:
                return False

        def go_on():
            if find(session, "input[type=password]"):
                return False
            for found in call("POST", f"/session/{session}/elements", {"using": "css selector", "value": "button"}):
                element = found[ELEMENT]
                text = call("GET", f"/session/{session}/element/{element}/text")
                if text.strip() in ("Continue", "Login"):
                    call("POST", f"/session/{session}/element/{element}/click")
            return False

        wait("the end of the sign-in", onwards)
    with open(os.environ["PERSON_NOTES"], "a") as notes:
        address = call("GET", f"/session/{session}/url").split("?")[0].split("#")[0]
        fragment = "#" in call("GET", f"/session/{session}/url")
        notes.write(f"chromium {address} {title()}{' with a fragment' if fragment else ''}\n")
    call("DELETE", f"/session/{session}")
finally:
    # The driver's browsers with it.
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
