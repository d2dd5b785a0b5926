"""An echo server on a free port, which it prints; with a certificate and a key over TLS."""
import ssl
import sys
import threading
from websockets.sync.server import serve


def answer(socket):
    socket.send("welcome")
    for message in socket:
        if message == "fragments":
            socket.send(["one ", "two ", "three"])
        elif message == "ping":
            socket.send("pong came" if socket.ping(b"x").wait(10) else "no pong")
        else:
            socket.send(message)


context = None
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
with serve(answer, "127.0.0.1", 0, subprotocols=["echo"], compression=None, max_size=None, ssl=context) as server:
    print(server.socket.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()
