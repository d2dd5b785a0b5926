"""A person at a browser: signs in at the address, agrees, and says where the browser is sent. The password comes on stdin."""
import html.parser
import sys
import urllib.parse

import requests

ADDRESS, USER = sys.argv[1:3]
PASSWORD = sys.stdin.readline().rstrip("\n")


class Form(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.action, self.hidden, self.buttons = None, {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.action = attributes["action"]
        if tag == "input" and attributes.get("type") == "hidden":
            self.hidden[attributes["name"]] = attributes["value"]
        if tag == "button":
            self.buttons.append(attributes["value"])


browser = requests.Session()
page = browser.get(ADDRESS, timeout=10, allow_redirects=False)
while page.status_code == 200:
    form = Form(page.text)
    typed = {"username": USER, "password": PASSWORD} if form.buttons[0] == "sign-in" else {}
    page = browser.post(
        urllib.parse.urljoin(page.url, form.action), allow_redirects=False, timeout=10,
        data={**form.hidden, **typed, "action": form.buttons[0]})
assert page.status_code == 303, (page.status_code, page.text)
print(page.headers["Location"])
