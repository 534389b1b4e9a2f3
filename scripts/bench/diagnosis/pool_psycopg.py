"""Applications with a psycopg_pool each, for scripts/bench-diagnosis, or without any.

Its only argument is a JSON object; it runs until it is stopped. The work is the one of crates/watch/examples.
"""
import json
import math
import random
import sys
import threading
import time

import psycopg
from psycopg_pool import ConnectionPool

PLAN = json.loads(sys.argv[1])
WORK = PLAN["work"]
TARGET = (f"host={PLAN['host']} port={PLAN['port']} user={PLAN['user']} dbname={PLAN['database']} "
          f"application_name='{PLAN['app']}'")
RNG = random.Random(PLAN["seed"])


def exponential(mean):
    return -mean * math.log(1 - RNG.random())


def start(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


def statement(connection, takes_s):
    connection.execute(f"select pg_sleep({takes_s:.4f})")


def request(pool, hold_s):
    try:
        with pool.connection() as connection:
            statement(connection, hold_s)
    except Exception:  # no session in time, or the server is gone: the next request tries again
        time.sleep(0.2)


def application():
    time.sleep(RNG.random() * PLAN.get("start_within_s", 0))
    pool = ConnectionPool(
        TARGET, min_size=PLAN.get("min", 0), max_size=PLAN["max"], max_idle=PLAN.get("idle_s") or 1e6,
        max_lifetime=PLAN.get("lifetime_s") or 1e6, open=True, num_workers=PLAN.get("openers", 3),
        kwargs={"autocommit": True})
    pool.wait()
    if WORK["kind"] == "trickle":
        while True:
            time.sleep(exponential(WORK["every_s"]))
            request(pool, WORK["hold_s"])
    if WORK["kind"] == "bursts":
        bursts(pool)
    for _ in range(WORK["workers"]):
        start(always, pool)


def bursts(pool):
    size = RNG.randint(WORK["least"], WORK["most"])
    if not WORK["together"]:
        time.sleep(RNG.random() * WORK["period_s"])
    while True:
        for _ in range(size):
            start(request, pool, WORK["hold_s"])
        time.sleep(WORK["period_s"] * (1 + WORK["jitter"] * (2 * RNG.random() - 1)))


def always(pool):
    while True:
        request(pool, WORK["hold_s"])


def unpooled():
    while True:
        time.sleep(exponential(WORK["think_s"]))
        try:
            with psycopg.connect(TARGET, autocommit=True) as connection:
                statement(connection, WORK["hold_s"])
        except psycopg.Error:
            time.sleep(0.2)


def leak():
    """A pooled application, and in it one function that opens a connection of its own and forgets it now and then."""
    forgotten = []
    while True:
        time.sleep(exponential(WORK["every_s"]))
        connection = psycopg.connect(TARGET, autocommit=True)
        statement(connection, 0.005)
        if RNG.random() < WORK["share"]:
            forgotten.append(connection)
        else:
            connection.close()


if WORK["kind"] == "requests":
    for _ in range(WORK["workers"]):
        start(unpooled)
elif WORK["kind"] == "leak":
    start(leak)
else:
    for _ in range(PLAN["pools"]):
        start(application)
threading.Event().wait()
