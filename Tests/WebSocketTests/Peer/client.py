"""Talks to the echo server at the URL given and prints what it saw."""
import sys
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

url = sys.argv[1]


def open_socket():
    return connect(url, subprotocols=["other", "echo"], compression=None, max_size=None)


with open_socket() as socket:
    print("subprotocol", socket.subprotocol)
    socket.send("äöü €")
    print("text", socket.recv() == "äöü €")
    for size in (0, 125, 126, 65535, 65536, 200000):
        data = bytes(i & 255 for i in range(size))
        socket.send(data)
        print("binary", size, socket.recv() == data)
    socket.send(["one ", "two ", "three"])
    print("fragments", socket.recv() == "one two three")
    print("ping", socket.ping(b"there?").wait(10))
    socket.send("close")
    try:
        socket.recv()
    except ConnectionClosed as closed:
        print("closed by the server", closed.rcvd.code, closed.rcvd.reason)
with open_socket() as socket:
    socket.send(bytes(200001))
    try:
        socket.recv()
    except ConnectionClosed as closed:
        print("too big", closed.rcvd.code)
socket = open_socket()
socket.close(1000)
print("closed by the client", socket.close_code)
