"""Stands in for mfs-strategy-host: speaks its wire format on descriptor 3, written independently of the Swift code.

A test appends what the child is to do. hello() greets; run() returns what is asked; call() makes a host call; result() and
failure() end the run.
"""

import os
import signal
import struct
import time


class Text(str):
    pass


class Secret(int):
    pass


class Instant(int):
    pass


CALLS = dict(http=1, use=2, read=3, prompt=4, clock=5, random=6, new=7, join=8, basic=9)
STATUSES = ["ok", "denied", "cancelled", "timeout", "network", "notFound", "nobody", "tooLarge", "badArgument",
            "untrusted", "protocolViolation", "internal"]


def write_all(data):
    while data:
        data = data[os.write(3, data):]


def read_exactly(count):
    data = b""
    while len(data) < count:
        piece = os.read(3, count - len(data))
        if not piece:
            os._exit(1)
        data += piece
    return data


def value(item):
    if isinstance(item, bool):
        return 4, bytes([item])
    if isinstance(item, Secret):
        return 6, struct.pack("<Q", item)
    if isinstance(item, Instant):
        return 5, struct.pack("<q", item)
    if isinstance(item, int):
        return 3, struct.pack("<q", item)
    if isinstance(item, bytes):
        return 2, item
    if isinstance(item, str):
        return 1, item.encode()
    return 7, record(item)


def record(fields):
    if isinstance(fields, dict):
        fields = list(fields.items())
    out = struct.pack("<H", len(fields))
    for name, item in fields:
        kind, data = value(item)
        out += struct.pack("<H", len(name.encode())) + name.encode() + bytes([kind]) + struct.pack("<I", len(data)) + data
    return out


def parse_value(kind, data):
    if kind == 1:
        return data.decode()
    if kind == 2:
        return data
    if kind in (3, 5):
        return struct.unpack("<q", data)[0]
    if kind == 4:
        return data == b"\1"
    if kind == 6:
        return Secret(struct.unpack("<Q", data)[0])
    return parse_record(data)[0]


def parse_record(data):
    count, at, fields = struct.unpack_from("<H", data)[0], 2, []
    for _ in range(count):
        size = struct.unpack_from("<H", data, at)[0]
        name = data[at + 2:at + 2 + size].decode()
        kind, length = struct.unpack_from("<BI", data, at + 2 + size)
        start = at + 2 + size + 5
        fields.append((name, parse_value(kind, data[start:start + length])))
        at = start + length
    return fields, at


def send(kind, body):
    write_all(struct.pack("<I", len(body) + 1) + bytes([kind]) + body)


def receive():
    size = struct.unpack("<I", read_exactly(4))[0]
    body = read_exactly(size)
    return body[0], body[1:]


def hello(version=1, abi=1, landlock=7):
    send(1, struct.pack("<HII", version, abi, landlock))


def run():
    kind, body = receive()
    operation, timeout = struct.unpack_from("<II", body)
    fields = dict(parse_record(body[8:])[0])
    fields["settings"] = dict(fields["settings"])
    return dict(fields, operation=operation, timeout=timeout)


last = 0


def call(kind_of_call, **fields):
    global last
    last += 1
    send(3, struct.pack("<IH", last, CALLS[kind_of_call]) + record(fields))
    kind, body = receive()
    if kind == 10:
        return "interrupted", {}
    identity, status = struct.unpack_from("<II", body)
    assert kind == 4 and identity == last
    return STATUSES[status], dict(parse_record(body[8:])[0])


def log(text, level=2):
    data = str(text).encode()
    send(5, bytes([level]) + struct.pack("<I", len(data)) + data)


def result(**fields):
    send(6, record(fields))


def failure(reason, message="", **fields):
    send(7, struct.pack("<I", reason) + record(dict(message=message, **fields)))


def text_frame(kind, text):
    send(kind, struct.pack("<I", len(text.encode())) + text.encode())


def signed_in(name="alice"):
    result(identifier=name, session="none")

