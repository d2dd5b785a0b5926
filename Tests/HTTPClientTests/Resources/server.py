"""A server that answers as its path says, well or badly. Prints its port, then serves until its stdin ends.

Usage: server.py [CERT KEY]
"""

import os
import socket
import ssl
import struct
import sys
import threading
import time


def read_request(peer):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = peer.recv(65536)
        if not piece:
            return data
        data += piece
        # A TLS handshake on a plain server: answer as real servers do.
        if data[:1] == b"\x16":
            return b"GET /tls HTTP/1.1\r\n\r\n"
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += peer.recv(65536)
    return head + b"\r\n\r\n" + body


def answer(peer, status, fields, body):
    head = "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n" % (status, "".join(f + "\r\n" for f in fields), len(body))
    peer.sendall(head.encode("latin-1") + body)


def flood(peer, start, piece):
    peer.sendall(start)
    sent = 0
    while sent < 1 << 30:
        peer.sendall(piece)
        sent += len(piece)


def serve(peer):
    request = read_request(peer)
    path = request.split(b" ")[1].decode("latin-1") if request.count(b" ") > 1 else ""
    if path.split("?")[0] == "/echo":
        answer(peer, "200 OK", ["X-Test:  padded\t", "X-Empty:"], request)
    elif path == "/cookies":
        answer(peer, "200 OK", ["Set-Cookie: a=1; Path=/", "set-cookie: b=2"], b"{}")
    elif path == "/redirect":
        answer(peer, "302 Found", ["Location: http://127.0.0.1:1/elsewhere"], b"")
    elif path == "/interim":
        peer.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n")
        answer(peer, "200 OK", ["X-Final: yes"], b"done")
    elif path == "/slow":
        time.sleep(30)
    elif path == "/trickle":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(600):
            peer.sendall(b".")
            time.sleep(0.05)
    elif path == "/cut":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
    elif path == "/cut-head":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")
    elif path == "/hang-up":
        pass
    elif path == "/reset":
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif path == "/garbage":
        peer.sendall(os.urandom(4096))
    elif path == "/old":
        peer.sendall(b"just a text, as HTTP/0.9 had it\n")
    elif path == "/bad-chunk":
        peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nnonsense\r\n")
    elif path == "/bad-length":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc")
    elif path == "/nul":
        peer.sendall(b"HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 0\r\n\r\n")
    elif path == "/huge":
        flood(peer, b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", b"x" * 65536)
    elif path == "/huge-unannounced":
        flood(peer, b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536)
    elif path == "/headers":
        flood(peer, b"HTTP/1.1 200 OK\r\n", b"X-Flood: yes\r\n" * 1000)
    elif path == "/one-header":
        flood(peer, b"HTTP/1.1 200 OK\r\nX-Flood: ", b"x" * 65536)
    elif path == "/interim-flood":
        flood(peer, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
    elif path == "/switch":
        peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: nonsense\r\nConnection: upgrade\r\n\r\n")
    else:
        answer(peer, "404 Not Found", [], b"")


def handle(peer, context):
    try:
        if context:
            peer = context.wrap_socket(peer, server_side=True)
        serve(peer)
    except OSError:
        pass
    finally:
        peer.close()


def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=handle, args=(peer, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
