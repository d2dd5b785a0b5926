"""A receiver of alerts: hook.py STATUS... answers the first request with the first status and so on, then with 200. It prints its
port on the first line, and the body of each request on a line of its own. With --tls CERTIFICATE KEY before them it speaks TLS."""
import http.server, ssl, sys

tls = sys.argv[2:4] if sys.argv[1:2] == ["--tls"] else []
if tls:
    del sys.argv[1:4]
statuses = [int(word) for word in sys.argv[1:]]


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.headers["User-Agent"] != "mfs-authd":
            body = "not mfs-authd: " + str(self.headers["User-Agent"])
        status = statuses.pop(0) if statuses else 200
        print(status, body, flush=True)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
if tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*tls)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
