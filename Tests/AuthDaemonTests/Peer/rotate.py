"""Two processes that make the next key, and two that make the next pepper, at the same moment on one database, ROUNDS times.

rotate.py ROUNDS LIBFAKETIME     in a folder with a database that `config.yaml` names

In each round the next key of the round before has come into use, and each kind is rotated by two processes that are let go together: one
makes it, the other one names the same, and one more is there. There are more rounds, up to 50, while it was always the one that was started
first, or never. Prints a JSON object with the number of rounds and how often the process that was started first made it; ends with 1, and
says why, at the first thing that is not as it should be.
"""
import json, os, subprocess, sys

from keys import DAY, Clock, listed


def at_once(words, environment):
    """What two processes of the same command print, in the order in which they were started."""
    gate, opener = os.pipe()
    begin = ["sh", "-c", 'read line; exec "$@"', "sh", "mfs-authd", "--config", "config.yaml", "--json"] + words
    both = [subprocess.Popen(begin, env=environment, stdin=gate, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)]
    os.close(gate)
    # Both read the end of it.
    os.close(opener)
    printed = []
    for process in both:
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, f"{words} ended with {process.returncode}: {errors}"
        printed.append(json.loads(output))
    return printed


def rotate(clock, environment):
    """One round; by kind, whether the process that was started first made the next one."""
    clock.turn(2 * DAY)
    first = {}
    for kind in ("key", "pepper"):
        before = listed(kind, environment)
        printed = at_once([kind, "rotate"], environment)
        assert sorted(one["made"] for one in printed) == [False, True], f"{kind}: {printed}"
        new = [key for number, key in listed(kind, environment).items() if number not in before]
        assert len(new) == 1 and new[0]["state"] == "pending", f"of kind {kind}, after {sorted(before)}: {new}"
        assert {one["number"] for one in printed} == {new[0]["number"]}, f"{kind}: {printed} and {new}"
        first[kind] = printed[0]["made"]
    return first


def main():
    rounds, clock = int(sys.argv[1]), Clock(sys.argv[2])
    environment = {**os.environ, **clock.variables}
    first, kinds = [], ("key", "pepper")
    while len(first) < rounds or any(len({one[kind] for one in first}) < 2 for kind in kinds) and len(first) < rounds + 50:
        first.append(rotate(clock, environment))
    print(json.dumps({"rounds": len(first), "first": {kind: sum(one[kind] for one in first) for kind in kinds}}))


if __name__ == "__main__":
    main()
