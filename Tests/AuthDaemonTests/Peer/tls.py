"""A TLS client of the server's.

tls.py keep ORIGIN CA FILE: connects, asks, prints the answer's status; asks again on the same connection when FILE is there.
tls.py connect ORIGIN CA COUNT: connects and asks so often, one after the other; prints how many were answered.
"""
import http.client
import os
import ssl
import sys
import time
import urllib.parse


def connect(origin, authorities):
    place = urllib.parse.urlsplit(origin)
    context = ssl.create_default_context(cafile=authorities)
    return http.client.HTTPSConnection(place.hostname, place.port, timeout=10, context=context)


def ask(connection):
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    answer.read()
    return answer.status


def keep(origin, authorities, file):
    connection = connect(origin, authorities)
    print(ask(connection), flush=True)
    first = connection.sock
    while not os.path.exists(file):
        time.sleep(0.02)
    print(ask(connection), connection.sock is first, flush=True)


def often(origin, authorities, count):
    answered = 0
    for _ in range(int(count)):
        connection = connect(origin, authorities)
        answered += ask(connection) == 200
        connection.close()
    print(answered, flush=True)


{"keep": keep, "connect": often}[sys.argv[1]](*sys.argv[2:])
