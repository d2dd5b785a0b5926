#!/usr/bin/env python3
"""Runs Debian's glewlwyd, the strictest of the providers, as a public client's provider, and prints its port.

glewlwyd.py FOLDER REDIRECT PASSWORD [plugin parameters as JSON]
Its user is alice, its client mfs; the issuer is http://127.0.0.1:PORT/api/oidc. It ends when this program does.
"""
import ctypes
import gzip
import http.cookiejar
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

folder, redirect, password = sys.argv[1:4]
more = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
os.makedirs(folder)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def database():
    for name in ("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3",
                 "/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz"):
        if os.path.exists(name):
            data = open(name, "rb").read()
            return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    sys.exit("glewlwyd's database is missing: run 'make deps-test'")


port = free_port()
base = f"http://127.0.0.1:{port}"
import sqlite3
connection = sqlite3.connect(f"{folder}/g.db")
connection.executescript(database().decode())
# Its fastest way to be as durable.
connection.execute("pragma journal_mode=wal")
connection.close()
lines = []
for line in open("/etc/glewlwyd/glewlwyd.conf"):
    key = line.split("=")[0].strip()
    changed = {
        "port": f"port={port}\nbind_address=\"127.0.0.1\"\n", "external_url": f'external_url="{base}"\n',
        "log_mode": 'log_mode="console"\n', "log_level": 'log_level="WARNING"\n',
    }.get(key)
    if line.startswith("static_files_mime_types"):
        changed = f'static_files_path="{folder}/webapp/"\n{line}'
    if line.startswith("@include"):
        changed = f'database = {{ type = "sqlite3" path = "{folder}/g.db" }};\n'
    lines.append(changed or line)
# The package's page reads its settings where the package has a folder of them.
shutil.copytree("/usr/share/glewlwyd/webapp", f"{folder}/webapp", ignore=shutil.ignore_patterns("config.json"))
shutil.copy("/usr/share/glewlwyd/templates/config.json", f"{folder}/webapp/config.json")
open(f"{folder}/g.conf", "w").writelines(lines)
subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", f"{folder}/key.pem"],
               check=True, stderr=subprocess.DEVNULL)
subprocess.run(["openssl", "pkey", "-in", f"{folder}/key.pem", "-pubout", "-out", f"{folder}/pub.pem"], check=True)
libc = ctypes.CDLL(None)
server = subprocess.Popen(["glewlwyd", f"--config-file={folder}/g.conf"], stdin=subprocess.DEVNULL,
                          stdout=open(f"{folder}/log", "w"), stderr=subprocess.STDOUT,
                          preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))


def session():
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def call(opener, method, path, body):
    request = urllib.request.Request(f"{base}/api{path}", json.dumps(body).encode(), {"Content-Type": "application/json"},
                                     method=method)
    try:
        return opener.open(request, timeout=10).status
    except urllib.error.HTTPError as error:
        sys.exit(f"glewlwyd: {method} {path} {error.code} {error.read().decode()}")


for _ in range(200):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        break
    except OSError:
        time.sleep(0.05)
admin = session()
call(admin, "POST", "/auth/", {"username": "admin", "password": "password"})
parameters = {
    "iss": f"{base}/api/oidc", "jwt-type": "rsa", "jwt-key-size": "256", "key": open(f"{folder}/key.pem").read(),
    "cert": open(f"{folder}/pub.pem").read(), "access-token-duration": 60, "refresh-token-duration": 1209600, "code-duration": 60,
    "refresh-token-rolling": True, "refresh-token-one-use": "always", "allow-non-oidc": True, "auth-type-code-enabled": True,
    "auth-type-code-revoke-replayed": True, "auth-type-token-enabled": True, "auth-type-id-token-enabled": True,
    "auth-type-implicit-enabled": True, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
    "auth-type-client-enabled": False, "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
    "device-authorization-expiration": 600, "device-authorization-interval": 1, "jwks-show": True, "pkce-allowed": True,
    "pkce-method-plain-allowed": False, "pkce-required": True, "introspection-revocation-allowed": True,
    "introspection-revocation-allow-target-client": True, "introspection-revocation-auth-scope": ["openid"], "session-management-allowed": True,
    "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 2419200, "oauth-as-iss-id": True,
    "email-claim": "on-demand", "name-claim": "on-demand", **more,
}
call(admin, "POST", "/mod/plugin/",
     {"module": "oidc", "name": "oidc", "display_name": "oidc", "enabled": True, "parameters": parameters})
call(admin, "POST", "/client/",
     {"client_id": "mfs", "name": "mfs", "confidential": False, "enabled": True, "redirect_uri": [redirect],
      "authorization_type": ["code", "refresh_token", "device_authorization", "id_token", "token"],
      "token_endpoint_auth_method": ["none"]})
call(admin, "POST", "/user/",
     {"username": "alice", "password": password, "name": "Alice", "email": "alice@example.com", "enabled": True,
      "scope": ["openid"]})
alice = session()
call(alice, "POST", "/auth/", {"username": "alice", "password": password})
call(alice, "PUT", "/auth/grant/mfs", {"scope": "openid"})
print(port, flush=True)
sys.stdin.read()
server.kill()
