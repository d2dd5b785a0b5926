"""mfs-authd in a folder of its own, with one user and limits that no load reaches: for scripts/soak and scripts/bench-backend."""
import json
import os
import signal
import socket
import subprocess

import app

USER, REDIRECT = "alice@example.com", "http://127.0.0.1/callback"


class Trouble(Exception):
    """A program did not do what it must."""


def run(*arguments, **options):
    """What a program printed, which must end with 0."""
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip()


class Backend:
    def __init__(self, program, folder, password, **settings):
        """Makes the database; nothing runs yet. `settings` are more of those of docs/BACKEND-SETTINGS.md, without MFS_AUTHD_."""
        self.program, self.folder, self.password, self.server = program, folder, password, None
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.browser = self.connection()
        settings = {
            "ISSUER": self.base, "LISTEN_PORT": self.port, "DATABASE": f"{folder}/auth.db", "KEY_FILE": f"{folder}/key",
            "TOKENS_PER_CLIENT": 1000000, "TOKENS_PER_DEVICE": 1000000, "AUTHORIZATIONS_PER_CLIENT": 1000000,
            "CALLS_PER_ADDRESS": 1000000, **settings,
        }
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            **{f"MFS_AUTHD_{name}": str(value) for name, value in settings.items()},
        }
        self.call("init")
        self.call("user", "add", USER, input=password)

    def call(self, *arguments, **options):
        return run(self.program, *arguments, env=self.environment, **options)

    def add_client(self, name, *options):
        self.call("client", "add", name, "--redirect-uri", REDIRECT, *options)

    def connection(self):
        return app.Connection(self.base, timeout=60)

    def start(self):
        """Starts the server, which also ends with this process, however that ends, and waits until it can be reached."""
        self.browser.close()
        with open(f"{self.folder}/log", "a") as log:
            self.server = subprocess.Popen([self.program, "serve", "--until-stdin-closes"], env=self.environment,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.server.stdout.readline()
        if not line or self.browser.ask("GET", "/readyz")[0] != 200:
            raise Trouble(f"mfs-authd did not start, see {self.folder}/log: {line!r}")

    def stop(self):
        self.end(signal.SIGTERM, 0)

    def kill(self):
        self.end(signal.SIGKILL, -signal.SIGKILL)

    def end(self, number, expected):
        server, self.server = self.server, None
        server.send_signal(number)
        try:
            status = server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            status = server.wait()
        server.stdin.close()
        server.stdout.close()
        if status != expected:
            raise Trouble(f"mfs-authd ended with {status}, see {self.folder}/log")

    def abandon(self):
        """Ends the server, if it runs, whatever it does."""
        if self.server is not None:
            self.server.kill()
            self.server.wait()

    def sign_in(self, client, browser=None, **asked):
        """What app.sign_in gives; the password is asked for where the browser is not signed in yet."""
        return app.sign_in(browser or self.browser, USER, self.password, client=client, redirect=REDIRECT, **asked)

    def families(self):
        """The sign-ins that last, by sid, as the program tells them."""
        return {item["sid"]: item for item in json.loads(self.call("--json", "family", "list"))["families"]}
