"""What a server has of memory before and after many requests that it refuses.

memory.py     in a folder with a database that `config.yaml` names

Sends some requests of each kind, and then many more, each with a name or a body that was not there before. Prints a JSON object: by kind how
the resident memory grew over the many, in KiB, how many KiB they were altogether, and the statuses of the answers.
"""
import json, os

import app
from keys import Server

REFRESH = {"grant_type": "refresh_token", "client_id": "mobile", "refresh_token": "x"}
WARM = 100


def name(number, size):
    return f"{number:09d}" + "x" * (size - 9)


# Up to 256 characters a name may be somebody's; one of 60,000 fits into a form and is nobody's; what has more is no form here. Of the
# long ones that are read there are fewer, since that takes its time in a program that is not optimized.
KINDS = {
    "names of clients": (400, 256, lambda text: ("/oauth/token", dict(REFRESH, client_id=text))),
    "names of devices": (400, 128, lambda text: ("/oauth/token", dict(REFRESH, device_id=text))),
    "refresh tokens": (400, 64, lambda text: ("/oauth/token", dict(REFRESH, refresh_token="mfr_" + text))),
    "clients that ask for a user code": (400, 256, lambda text: ("/oauth/device_authorization", {"client_id": text})),
    "clients at the sign-in page": (400, 256, lambda text: ("/authorize?client_id=" + text, None)),
    "long names of clients": (50, 60_000, lambda text: ("/oauth/token", dict(REFRESH, client_id=text))),
    "long names of devices": (50, 60_000, lambda text: ("/oauth/token", dict(REFRESH, device_id=text))),
    "long names of parameters": (50, 60_000, lambda text: ("/oauth/token", dict(REFRESH, **{text: ""}))),
    "large bodies": (400, 100_000, lambda text: ("/oauth/token", dict(REFRESH, x=text))),
}


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def main():
    server = Server(dict(os.environ))
    server.wait()
    connection, number, report = app.Connection(server.base), 0, {}

    def send(kind, times):
        nonlocal number
        _, size, request = KINDS[kind]
        statuses = {}
        for _ in range(times):
            number += 1
            path, form = request(name(number, size))
            status, _, _ = connection.ask("GET" if form is None else "POST", path, form)
            statuses[status] = statuses.get(status, 0) + 1
        return statuses

    for kind, (count, _, _) in KINDS.items():
        send(kind, min(WARM, count // 5))
    for kind, (count, size, _) in KINDS.items():
        before = resident(server.process.pid)
        statuses = send(kind, count)
        report[kind] = {"grown": resident(server.process.pid) - before, "sent": count * size // 1_024, "statuses": statuses}
    server.stop()
    print(json.dumps(report))


if __name__ == "__main__":
    main()
