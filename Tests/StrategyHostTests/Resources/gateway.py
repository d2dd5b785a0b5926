"""A stand-in for a gateway: sessions for alice (password "correct horse"), and a few faults. Serves until stdin ends."""

import base64
import os
import socket
import sys
import threading
import time

CREDENTIALS = "Basic " + base64.b64encode(b"alice:correct horse").decode()
SESSION = "0123456789abcdef0123456789abcdef01234567"


def read_request(peer):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = peer.recv(65536)
        if not piece:
            return data, {}, b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    fields = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    while len(body) < int(fields.get("content-length", 0)):
        body += peer.recv(65536)
    return head, fields, body


def answer(peer, status, fields=(), body=b""):
    head = "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n" % (status, "".join(f + "\r\n" for f in fields), len(body))
    peer.sendall(head.encode("latin-1") + body)


def session(peer, method, fields, body):
    if method == "DELETE":
        known = SESSION in fields.get("cookie", "")
        return answer(peer, "200 OK" if known else "404 Not Found", ["Content-Type: application/json"], b"{}")
    if "origin" in fields:
        return answer(peer, "400 Bad Request", [], b'{"error":"Bad Request","reason":"No CORS"}')
    if fields.get("authorization") != CREDENTIALS or body:
        return answer(peer, "401 Unauthorized", ["Content-Type: application/json"],
                      b'{"error":"Unauthorized","reason":"Invalid login"}')
    answer(peer, "200 OK", [
        "Content-Type: application/json",
        "Set-Cookie: SyncGatewaySession=%s; Path=/mfs; Expires=Fri, 04 Sep 2037 18:00:00 GMT" % SESSION,
    ], b'{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":"alice"}}')


def serve(peer):
    head, fields, body = read_request(peer)
    words = head.decode("latin-1").split(" ")
    method, path = words[0], words[1] if len(words) > 1 else ""
    if path == "/mfs/_session":
        session(peer, method, fields, body)
    elif path == "/down/_session":
        answer(peer, "503 Service Unavailable")
    elif path == "/echo":
        answer(peer, "200 OK", [], head + b"\r\n\r\n" + body)
    elif path == "/cookie":
        answer(peer, "200 OK", ["Set-Cookie: SyncGatewaySession=%s; Path=/mfs" % SESSION])
    elif path == "/redirect":
        answer(peer, "302 Found", ["Location: http://127.0.0.1:1/elsewhere"])
    elif path == "/unauthorised":
        answer(peer, "401 Unauthorized")
    elif path == "/cut":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
    elif path == "/garbage":
        peer.sendall(os.urandom(1000))
    elif path in ("/slow", "/slow/_session"):
        time.sleep(30)
    elif path == "/huge":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        for _ in range(16384):
            peer.sendall(b"x" * 65536)
    else:
        answer(peer, "404 Not Found", ["Content-Type: application/json"], b'{"error":"not_found","reason":"unknown URL"}')


def handle(peer):
    try:
        serve(peer)
    except OSError:
        pass
    finally:
        peer.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=handle, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
