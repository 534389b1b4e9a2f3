"""An application that connects through unixODBC with its pool on (CPTimeout), for scripts/bench-diagnosis.

Its only argument is a JSON object; it runs until it is stopped. unixODBC closes what is too old while it looks for a
session, newest first, and stops at the first one that fits. So the application's steady work, on another database, has
the oldest session: looking for it passes all others.
"""
import ctypes
import ctypes.util
import json
import random
import sys
import threading
import time

PLAN = json.loads(sys.argv[1])
WORK = PLAN["work"]
RNG = random.Random(PLAN["seed"])
ODBC = ctypes.CDLL(ctypes.util.find_library("odbc") or "libodbc.so.2")

ENV, DBC, STMT = 1, 2, 3
ODBC_VERSION, CONNECTION_POOLING, ONE_PER_DRIVER = 200, 201, 1
NTS = -3


def good(code, what):
    if code not in (0, 1):
        raise OSError(f"{what}: {code}")


def handle(kind, parent):
    new = ctypes.c_void_p()
    good(ODBC.SQLAllocHandle(kind, parent, ctypes.byref(new)), "SQLAllocHandle")
    return new


def environment():
    if PLAN["pooled"]:
        good(ODBC.SQLSetEnvAttr(None, CONNECTION_POOLING, ctypes.c_void_p(ONE_PER_DRIVER), 0), "pooling")
    made = handle(ENV, None)
    good(ODBC.SQLSetEnvAttr(made, ODBC_VERSION, ctypes.c_void_p(3), 0), "ODBC 3")
    return made


ENVIRONMENT = environment()


def request(hold_s, database="shop"):
    """Connect, one statement, disconnect: the way of every ODBC application that leaves pooling to the manager."""
    connection = handle(DBC, ENVIRONMENT)
    try:
        string = f"{PLAN['string']};Database={database}".encode()
        good(ODBC.SQLDriverConnect(connection, None, string, NTS, None, 0, None, 0), "SQLDriverConnect")
        statement = handle(STMT, connection)
        good(ODBC.SQLExecDirect(statement, f"select pg_sleep({hold_s:.4f})".encode(), NTS), "query")
        ODBC.SQLFreeHandle(STMT, statement)
        ODBC.SQLDisconnect(connection)
    except OSError:
        time.sleep(0.2)
    finally:
        ODBC.SQLFreeHandle(DBC, connection)


def start(*arguments):
    threading.Thread(target=request, args=arguments, daemon=True).start()


if WORK["kind"] == "bursts":
    request(0.001, "postgres")
while WORK["kind"] == "bursts":
    for _ in range(WORK["most"]):
        start(WORK["hold_s"])
    until = time.monotonic() + WORK["period_s"] * (1 + WORK["jitter"] * (2 * RNG.random() - 1))
    while time.monotonic() < until:
        time.sleep(min(WORK["between_s"], max(until - time.monotonic(), 0.001)))
        request(0.001, "postgres")

while True:
    time.sleep(RNG.expovariate(1 / WORK["think_s"]))
    request(WORK["hold_s"])
