"""Two servers on one database, which reach the time at which their keys rotate together, ROUNDS times, under a load of refreshes.

keys.py ROUNDS USER PASSWORD-FILE LIBFAKETIME     in a folder with a database that `config.yaml` names, whose keys rotate each day

In each round a day passes, and both servers start at the same moment: one new signing key and one new pepper must be there, not two.
Then apps refresh at both in turn, and each token is shown to the server that did not issue it, while the time comes at which the new
keys are used. Prints a JSON object with the number of rounds and of refreshes; ends with 1, and says why, at the first thing that is not
as it should be.
"""
import base64, json, os, sqlite3, subprocess, sys, threading

import app

DAY, LEAD = 86_400, 310
FAMILIES = 4


class Clock:
    """The clock of every program that is started with its variables."""

    def __init__(self, library):
        self.file, self.offset = os.path.abspath("clock"), 0
        self.variables = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": self.file, "FAKETIME_NO_CACHE": "1",
                          "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
        self.turn(0)

    def turn(self, seconds):
        self.offset += seconds
        with open(self.file + ".new", "w") as file:
            file.write(f"+{self.offset}")
        os.replace(self.file + ".new", self.file)


class Server:
    def __init__(self, environment):
        self.log = open("server.log", "a")
        self.process = subprocess.Popen(
            ["mfs-authd", "--config", "config.yaml", "serve", "--until-stdin-closes"], env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, text=True)

    def wait(self):
        line = self.process.stdout.readline()
        assert line, "a server did not start: " + open("server.log").read()[-2_000:]
        self.base = json.loads(line)["listen"]

    def stop(self):
        self.process.stdin.close()
        assert self.process.wait(30) == 0, "a server did not stop"
        self.log.close()


def listed(kind, environment):
    """The keys of a kind by number."""
    done = subprocess.run(["mfs-authd", "--config", "config.yaml", "--json", kind, "list"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {key["number"]: key for key in json.loads(done.stdout)[{"key": "keys", "pepper": "peppers"}[kind]]}


def kid(token):
    header = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["kid"]


class App:
    """One sign-in, whose tokens are got at one server and shown to the other."""

    def __init__(self, servers, user, password, number):
        self.connections = [app.Connection(server.base) for server in servers]
        signed = app.sign_in(self.connections[number % 2], user, password)
        self.sid, self.tokens, self.refreshes = signed["sid"], signed["tokens"], 0

    def show(self, place, token):
        """Whether a server takes an access token."""
        connection = app.Connection(self.connections[place].base.geturl())
        connection.headers["Authorization"] = "Bearer " + token
        status, _, body = connection.ask("GET", "/oauth/userinfo")
        assert status == 200, f"a token of key {kid(token)} was refused by the other server: {status} {body}"

    def refresh(self, place):
        status, body = app.refresh(self.connections[place], self.tokens["refresh_token"])
        assert status == 200, f"a refresh was answered {status} {body}"
        self.tokens, self.refreshes = json.loads(body), self.refreshes + 1
        self.show(1 - place, self.tokens["access_token"])
        return kid(self.tokens["access_token"])


def load(one, stop, faults):
    place = 0
    try:
        while not stop.is_set():
            one.refresh(place)
            place = 1 - place
    except Exception as error:
        faults.append(f"{type(error).__name__}: {error}")


def rotate(clock, environment, user, password):
    """One round; how many refreshes there were."""
    before = {kind: listed(kind, environment) for kind in ("key", "pepper")}
    clock.turn(DAY)
    servers = [Server(environment), Server(environment)]
    for server in servers:
        server.wait()
    made = {}
    for kind, keys in before.items():
        new = [key for number, key in listed(kind, environment).items() if number not in keys]
        assert len(new) == 1 and new[0]["state"] == "pending", f"of kind {kind}, after {sorted(keys)}: {new}"
        made[kind] = new[0]
    # Both kinds are numbered together, and no number was given to a key that is gone again.
    last = max(max(keys) for keys in before.values())
    assert {key["number"] for key in made.values()} == {last + 1, last + 2}, made
    published = [json.loads(app.Connection(server.base).ask("GET", "/.well-known/jwks.json")[2])["keys"] for server in servers]
    assert published[0] == published[1] and made["key"]["kid"] in {key["kid"] for key in published[0]}, published
    apps = [App(servers, user, password, number) for number in range(FAMILIES)]
    old = [one.tokens["access_token"] for one in apps]
    assert made["key"]["kid"] not in {kid(token) for token in old}, "a key signs before its time"
    stop, faults = threading.Event(), []
    threads = [threading.Thread(target=load, args=(one, stop, faults)) for one in apps]
    for thread in threads:
        thread.start()
    wait_for(apps, 3, faults)
    clock.turn(LEAD)
    wait_for(apps, 3, faults)
    stop.set()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    # Now both sign with the new key and hash with the new pepper, and what was signed before counts on.
    for one, token in zip(apps, old):
        for place in (0, 1):
            assert one.refresh(place) == made["key"]["kid"], "a server goes on with the old key"
            one.show(place, token)
    with sqlite3.connect("file:data/auth.db?mode=ro", uri=True) as database:
        marks = ",".join("?" * len(apps))
        found = database.execute(
            f"SELECT DISTINCT current_pepper FROM family WHERE id IN ({marks})", [one.sid for one in apps]).fetchall()
    assert found == [(made["pepper"]["number"],)], f"hashed with the peppers {found}, not {made['pepper']}"
    for server in servers:
        server.stop()
    return sum(one.refreshes for one in apps)


def wait_for(apps, more, faults):
    """Waits until each app has made so many more refreshes."""
    wanted = [one.refreshes + more for one in apps]
    tick = threading.Event()
    while not faults and any(one.refreshes < count for one, count in zip(apps, wanted)):
        tick.wait(0.01)


def main():
    rounds, user, password, library = int(sys.argv[1]), sys.argv[2], open(sys.argv[3]).read(), sys.argv[4]
    clock = Clock(library)
    environment = {**os.environ, **clock.variables}
    refreshes = sum(rotate(clock, environment, user, password) for _ in range(rounds))
    print(json.dumps({"rounds": rounds, "refreshes": refreshes}))


if __name__ == "__main__":
    main()
