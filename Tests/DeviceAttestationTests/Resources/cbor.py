"""Writes CBOR (RFC 8949) of integers, bytes, texts, lists and dicts, which is all that App Attest's objects are made of."""


def head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | code]) + number.to_bytes(size, "big")
    raise ValueError(number)


def dumps(value):
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(dumps(item) for item in value)
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(dumps(key) + dumps(item) for key, item in value.items())
    raise TypeError(type(value))
