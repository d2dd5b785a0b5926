#!/usr/bin/env python3
"""A person at a terminal, with a browser that the command does not open: runs a sign-in, opens the page that it shows and signs
in as alice there. Their browser is on another machine: they paste the address that it ends at, after another one that is none
of it. With PERSON_BROWSER=here it is on this machine, and goes to that address itself.

paster.py COMMAND...
PERSON_PASSWORD is the file with the password. Prints what the terminal showed, and ends as the command does.
"""
import html
import http.cookiejar
import os
import pty
import re
import select
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""


def read():
    """What the terminal shows next; false when the command has ended."""
    global shown
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            return False
    return True


def until(text, times=1):
    end = time.monotonic() + 20
    while shown.count(text) < times and time.monotonic() < end and read():
        pass
    # What is typed before the echo is off is thrown away.
    time.sleep(0.3)


class Staying(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


until(b"Paste the address")
page = re.search(rb"http://\S+redirect_uri=\S+", shown).group(0).decode()
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), Staying)
form = browser.open(page, timeout=20).read().decode()
fields = {name: html.unescape(value) for name, value in re.findall('name="([^"]*)"[^>]*value="([^"]*)"', form)}
with open(os.environ["PERSON_PASSWORD"]) as file:
    fields.update(username="alice", password=file.read(), action="sign-in")
action = re.search('<form[^>]*action="([^"]*)"', form)
target = urllib.parse.urljoin(page, html.unescape(action.group(1))) if action else page
try:
    ending = browser.open(target, urllib.parse.urlencode(fields).encode(), timeout=20).geturl()
except urllib.error.HTTPError as answer:
    ending = answer.headers["Location"]
if os.environ.get("PERSON_BROWSER") == "here":
    try:
        urllib.request.urlopen(page.split("redirect_uri=")[1].split("&")[0].replace("%3A", ":").replace("%2F", "/") + "?code=x")
    except urllib.error.HTTPError:
        pass
    until(b"Paste the address", 2)
    urllib.request.urlopen(ending, timeout=20)
else:
    os.write(terminal, b"http://127.0.0.1:1/callback?code=x\n")
    until(b"Paste the address", 2)
    os.write(terminal, ending.encode() + b"\n")
while read():
    pass
sys.stdout.write(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
