"""psql as people and schedulers run it, for scripts/bench-diagnosis: scripts by the clock, people, workers of a batch.

Its only argument is a JSON object; it runs until it is stopped.
"""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

PLAN = json.loads(sys.argv[1])
RNG = random.Random(PLAN["seed"])
ENV = {**os.environ, "PGAPPNAME": PLAN["app"], "PGHOST": PLAN["host"], "PGPORT": str(PLAN["port"]),
       "PGUSER": PLAN["user"], "PGDATABASE": PLAN["database"], "PGSSLMODE": "disable", "PGOPTIONS": ""}
# The program itself: the psql of Debian's PATH is a script that looks for it.
COMMAND = ["setpriv", "--pdeathsig", "KILL", "--", os.environ["PG"] + "/psql", "-X", "-q"]


def script():
    worker(PLAN["work_s"] * RNG.uniform(0.5, 1.5), PLAN["work_s"])


def person(stays_s):
    """A session at a terminal: a statement, a look at the answer, another statement, and at last the end."""
    session = subprocess.Popen(COMMAND, env=ENV, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    leaves = time.monotonic() + stays_s
    try:
        while True:
            session.stdin.write(b"select 1;\n")
            session.stdin.flush()
            pause = RNG.expovariate(1 / (0.1 * stays_s + 0.2))
            if time.monotonic() + pause >= leaves:
                break
            time.sleep(pause)
        time.sleep(max(leaves - time.monotonic(), 0))
        session.stdin.close()
    except BrokenPipeError:
        pass
    session.wait()


def worker(lasts_s, statement_s):
    statements = [f"select pg_sleep({statement_s:.3f})"] * max(round(lasts_s / statement_s), 1)
    arguments = [part for statement in statements for part in ("-c", statement)]
    subprocess.run([*COMMAND, *arguments], env=ENV, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)


def start(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


def by_the_clock():
    due = time.monotonic()
    while True:
        for _ in range(PLAN["at_once"]):
            start(script)
        due += PLAN["period_s"]
        time.sleep(max(due - time.monotonic(), 0))


signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
if PLAN.get("kind") == "people":
    for _ in range(PLAN["here"]):
        start(person, RNG.expovariate(1 / PLAN["stay_s"]))
    while True:
        time.sleep(RNG.expovariate(1 / PLAN["every_s"]))
        start(person, RNG.expovariate(1 / PLAN["stay_s"]))
elif PLAN.get("kind") == "batches":
    while True:
        for _ in range(PLAN["workers"]):
            start(worker, PLAN["work_s"] * RNG.uniform(0.7, 1.3), PLAN["statement_s"])
        time.sleep(PLAN["period_s"])
else:
    by_the_clock()
