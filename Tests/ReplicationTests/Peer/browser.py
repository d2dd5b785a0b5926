"""Replicates as a page in a browser does: the session stands among the subprotocols.

Arguments: the gateway's URL with ws://, the page's origin, the one-time session, and the control port's URL. It prints what the gateway answered."""
import sys
from urllib.request import Request, urlopen
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

url, origin, session, control = sys.argv[1:]


def dial(protocols, origin=origin):
    try:
        return connect(url, subprotocols=protocols, origin=origin, compression=None)
    except InvalidStatus as refused:
        print(refused.response.status_code, refused.response.body.decode().strip())
        return None


protocols = ["BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3", "SyncGatewaySession_" + session]
dial(protocols[:2])
socket = dial(protocols)
print("open", socket.subprotocol, "X-Correlation-ID" in socket.response.headers)
socket.send(b"\x00" * 100000)
print("ping", socket.ping(b"x").wait(10))
dial(protocols)
urlopen(Request(control + "/replications/close?code=1012", method="POST"))
try:
    socket.recv(timeout=10)
except ConnectionClosed as closed:
    print("closed", closed.rcvd.code)
