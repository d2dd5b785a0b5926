"""A server that says one thing whatever it is asked. It prints its port.

Arguments: the answer with Python's escapes, and what follows: close, reset, or hang; for TLS a certificate and its key."""
import socket
import ssl
import struct
import sys
import threading

answer = sys.argv[1].encode().decode("unicode_escape").encode("latin-1")
ending = sys.argv[2]
kept = []
tls = None
if len(sys.argv) > 3:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[3], sys.argv[4])


def serve(connection):
    if tls:
        try:
            connection = tls.wrap_socket(connection, server_side=True)
        except OSError:
            return
    request = b""
    while b"\r\n\r\n" not in request:
        more = connection.recv(65536)
        if not more:
            return
        request += more
    try:
        connection.sendall(answer)
    except OSError:
        return
    if ending == "hang":
        kept.append(connection)
    elif ending == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if ending != "hang":
        connection.close()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), listener.close()), daemon=True).start()
while True:
    try:
        connection, _ = listener.accept()
    except OSError:
        break
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
