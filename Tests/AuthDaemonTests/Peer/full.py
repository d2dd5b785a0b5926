"""Apps that do as they are told by a server that cannot write: full.py BASE USER PASSWORD-FILE N REPORT

N sign-ins refresh without a pause. A 503 is waited for and the same token tried again, any other refusal is an app's end. It prints
"ready" when all have begun, ends when the file `enough` is there and each app was answered twice since, and writes what each has seen
to REPORT.
"""
import json, os, sys, threading

import app


def work(connection, family, seen, index):
    token, rotations, left = family["tokens"]["refresh_token"], 0, 2
    waits, bare, end = 0, 0, ""
    pause = threading.Event()
    while not end:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": app.CLIENT}
        try:
            status, headers, body = connection.ask("POST", "/oauth/token", form)
        except Exception as error:
            end = f"{type(error).__name__}: {error}"
            break
        if status == 200:
            token, rotations = json.loads(body)["refresh_token"], rotations + 1
            if os.path.exists("enough"):
                left -= 1
                end = "" if left else "enough"
        elif status == 503:
            waits += 1
            bare += "retry-after" not in headers
            pause.wait(0.05)
        else:
            end = f"status {status}: {body}"
    seen[index] = {"sid": family["sid"], "token": token, "rotations": rotations, "waits": waits, "bare": bare, "end": end}


def main():
    base, user, password, count, report = sys.argv[1], sys.argv[2], open(sys.argv[3]).read(), int(sys.argv[4]), sys.argv[5]
    browser = app.Connection(base)
    families = [app.sign_in(browser, user, password) for _ in range(count)]
    seen = [None] * count
    threads = [threading.Thread(target=work, args=(app.Connection(base), family, seen, index)) for index, family in enumerate(families)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    for thread in threads:
        thread.join()
    with open(report, "w") as file:
        json.dump(seen, file)


main()
