#!/usr/bin/env python3
"""A person with a browser: opens the page it is given, signs in as alice, and follows wherever that leads.

PERSON_PASSWORD   the file with the password
PERSON_USER       who signs in; alice when it is not set
PERSON_COOKIES    a file that keeps the browser's cookies from one run to the next; without it each run is another browser
PERSON_REFUSES    set to 1, they say no where a page lets them
PERSON_NOTES      a file that gets one line for each page: the address without its query, and the title
A page of this machine's that hands a fragment over by script is played by hand, and so is glewlwyd's page, which is all
script: its REST calls are made in its place.
"""
import html
import http.cookiejar
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

kept = os.environ.get("PERSON_COOKIES")
jar = http.cookiejar.LWPCookieJar(kept) if kept else http.cookiejar.CookieJar()
if kept and os.path.exists(kept):
    jar.load(ignore_discard=True)
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))


def visit(request):
    try:
        answer = opener.open(request, timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    address, page = answer.geturl(), answer.read().decode(errors="replace")
    if kept:
        jar.save(ignore_discard=True)
    title = re.search("<title>(.*?)</title>", page, re.S)
    with open(os.environ["PERSON_NOTES"], "a") as notes:
        notes.write(f"{answer.status} {address.split('?')[0].split('#')[0]} {title.group(1) if title else ''}\n")
    return address, page


def field(tag, name):
    found = re.search(f'\\b{name}="([^"]*)"', tag)
    return html.unescape(found.group(1)) if found else None


def sign_in(address, page):
    action = re.search('<form[^>]*>', page).group(0)
    fields = {}
    for tag in re.findall("<input[^>]*>", page):
        fields[field(tag, "name")] = field(tag, "value") or ""
    button = re.search("<button[^>]*>", page).group(0)
    if field(button, "name"):
        fields[field(button, "name")] = field(button, "value") or ""
    if "username" in fields:
        fields["username"] = os.environ.get("PERSON_USER", "alice")
        with open(os.environ["PERSON_PASSWORD"]) as file:
            fields["password"] = file.read()
    if "sub" in fields:
        fields["sub"] = "alice"
    if os.environ.get("PERSON_REFUSES") == "1" and 'value="deny"' in page:
        fields["action"] = "deny"
    return visit(urllib.request.Request(
        urllib.parse.urljoin(address, field(action, "action") or ""), urllib.parse.urlencode(fields).encode()))


def sign_in_to_glewlwyd(address):
    place = urllib.parse.urlsplit(address)
    with open(os.environ["PERSON_PASSWORD"]) as file:
        credentials = {"username": "alice", "password": file.read()}
    visit(urllib.request.Request(f"{place.scheme}://{place.netloc}/api/auth/", json.dumps(credentials).encode(),
                                 {"Content-Type": "application/json"}))
    back = urllib.parse.parse_qs(place.query)["callback_url"][0]
    return visit(back + ("&" if "?" in back else "?") + "g_continue")


address, page = visit(sys.argv[1])
if "/login.html" in address:
    address, page = sign_in_to_glewlwyd(address)
for _ in range(3):
    if "<form" not in page:
        break
    address, page = sign_in(address, page)
if "location.hash" in page:
    place = urllib.parse.urlsplit(address)
    here = urllib.parse.urlunsplit((place.scheme, place.netloc, place.path, "", ""))
    visit(urllib.request.Request(
        here, place.fragment.encode(), {"Origin": f"{place.scheme}://{place.netloc}", "Content-Type": "text/plain"}))
