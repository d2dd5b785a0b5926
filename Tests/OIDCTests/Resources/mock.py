#!/usr/bin/env python3
"""oidc-provider-mock on a free port of 127.0.0.1, with one user; prints the port, ends with stdin. With the argument
`public` it exchanges codes for a client without a secret too, which it does not by itself; refresh tokens it does not."""
import logging
import sys
import threading
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import oidc_provider_mock
import werkzeug.serving

if "public" in sys.argv[1:]:
    oidc_provider_mock._app.AuthorizationCodeGrant.TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "none"]
app = oidc_provider_mock.app(
    require_nonce=True, user_claims=[oidc_provider_mock.User(sub="alice", claims={"email": "alice@example.com"})])
server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
