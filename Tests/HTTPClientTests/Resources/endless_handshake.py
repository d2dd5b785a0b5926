"""A server that answers a TLS ClientHello with one HelloRequest after another, which a client is to ignore, for ever."""
import socket
import threading


def serve(peer):
    try:
        peer.recv(65536)
        while True:
            peer.sendall(b"\x16\x03\x03\x00\x04\x00\x00\x00\x00" * 1000)
    except OSError:
        pass


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
