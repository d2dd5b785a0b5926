"""Runs a command on a terminal of its own and plays a person at it.

usage: typist.py SCRIPT COMMAND...   SCRIPT has one step a line: "wait PROMPT", "see TEXT" (the same, where the
terminal may go on echoing), "type TEXT", "key HEX", "signal N",
"echo" (notes whether the terminal echoes).
Prints what the terminal showed and how the command ended, as JSON.
"""
import json, os, pty, select, signal, sys, termios, time

steps = [line.split(" ", 1) for line in sys.argv[1].splitlines()]
signal.pthread_sigmask(signal.SIG_SETMASK, [])
child, terminal = pty.fork()
if child == 0:
    # The answers come from the terminal, though stdin and stdout are none.
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(os.open("out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    os.execvp(sys.argv[2], sys.argv[2:])

shown, echoes = b"", []
deadline = time.monotonic() + 30


def read(timeout):
    global shown
    if select.select([terminal], [], [], timeout)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            return False
    return True


def echo():
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


at = 0
for step in steps:
    if step[0] in ("wait", "see"):
        text = step[1].encode()
        while text not in shown[at:] and time.monotonic() < deadline and read(0.05):
            pass
        at = shown.find(text, at) + len(text) if text in shown[at:] else len(shown)
        # The prompt is written before the echo goes off.
        while step[0] == "wait" and echo() and time.monotonic() < deadline:
            time.sleep(0.005)
    elif step[0] == "type":
        os.write(terminal, step[1].encode() + b"\n")
    elif step[0] == "key":
        os.write(terminal, bytes.fromhex(step[1]))
    elif step[0] == "signal":
        os.kill(child, int(step[1]))
    elif step[0] == "echo":
        echoes.append(echo())

status = None
while time.monotonic() < deadline:
    read(0.02)
    pid, result = os.waitpid(child, os.WNOHANG)
    if pid:
        status = os.waitstatus_to_exitcode(result)
        break
if status is None:
    os.kill(child, signal.SIGKILL)
while True:
    before = shown
    if not read(0.05) or shown == before:
        break
try:
    echoes.append(echo())
except termios.error:
    pass
print(json.dumps({"status": status, "shown": shown.decode(errors="replace"), "echoes": echoes}))
