"""What a flood of wrong passwords does to those who are signed in: flood.py BASE USER PASSWORD-FILE REPORT

Measures refreshes and requests for userinfo of one sign-in while nothing else happens, and again while more strangers try passwords
than may wait for their check. Each try is of another name from another network, as `X-Forwarded-For` says, so that no limit of tries
keeps it from the queue. Writes medians in seconds, and what the strangers were answered.
"""
import json, re, statistics, sys, threading, time

import app

STRANGERS, SAMPLES = 32, 60


def measure(signed, base):
    """The medians of refreshes and of userinfo."""
    token, times, shown = signed["tokens"]["refresh_token"], [], []
    connection, reader = app.Connection(base), app.Connection(base)
    for _ in range(SAMPLES):
        begin = time.monotonic()
        status, body = app.refresh(connection, token)
        times.append(time.monotonic() - begin)
        assert status == 200, (status, body)
        signed["tokens"] = json.loads(body)
        token = signed["tokens"]["refresh_token"]
        reader.headers["Authorization"] = "Bearer " + signed["tokens"]["access_token"]
        begin = time.monotonic()
        status, _, body = reader.ask("GET", "/oauth/userinfo")
        shown.append(time.monotonic() - begin)
        assert status == 200, (status, body)
    return {"refresh": statistics.median(times), "userinfo": statistics.median(shown)}


def stranger(base, number, page, seen, stop):
    browser, tries = app.Connection(base), 0
    browser.cookies.update(page["cookies"])
    pause = threading.Event()
    while not stop.is_set():
        tries += 1
        browser.headers["X-Forwarded-For"] = f"10.{number}.{tries // 250}.{tries % 250 + 1}"
        form = dict(page["hidden"], username=f"nobody-{number}-{tries}", password="wrong password", action="sign-in")
        status, _, _ = browser.ask("POST", page["action"], form)
        seen.append(status)
        if status != 401:
            pause.wait(0.1)


def main():
    base, user, password, report = sys.argv[1], sys.argv[2], open(sys.argv[3]).read(), sys.argv[4]
    signed = app.sign_in(app.Connection(base), user, password)
    # The form that every stranger sends.
    browser = app.Connection(base)
    status, _, body = browser.ask("GET", "/authorize?" + app.authorize_query()[0])
    page = {"cookies": browser.cookies, "hidden": dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', body)),
            "action": re.search(r'action="([^"]+)"', body).group(1).replace("&amp;", "&")}
    measure(signed, base)
    idle, seen, stop = measure(signed, base), [], threading.Event()
    threads = [threading.Thread(target=stranger, args=(base, number, page, seen, stop)) for number in range(STRANGERS)]
    for thread in threads:
        thread.start()
    tick = threading.Event()
    patience = time.monotonic() + 25
    while seen.count(503) < STRANGERS:
        tick.wait(0.01)
        if time.monotonic() > patience:
            stop.set()
            sys.exit(f"the queue was never full: of {len(seen)} answers {seen.count(503)} said so; the others have the threads")
    before = len(seen)
    flooded, during = measure(signed, base), seen[before:]
    stop.set()
    for thread in threads:
        thread.join()
    with open(report, "w") as file:
        json.dump({"idle": idle, "flooded": flooded, "statuses": {str(status): during.count(status) for status in set(during)}}, file)


main()
