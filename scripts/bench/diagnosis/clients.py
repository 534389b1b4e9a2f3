"""The clients of a run and what is expected of it. Each client is a program of its own that is given a plan as JSON."""
import dataclasses
import json
import os
import sys

from lab import CACHE, EXAMPLES, HERE, PYTHON, WATCHER

SCALE = 30
NODE = {"NODE_PATH": str(CACHE / "node/node_modules")}


@dataclasses.dataclass
class Expected:
    """What must be said of one application (None: of the instance) at one server: a code, or that it is healthy."""
    port: int
    app: str | None
    code: str | None
    patterns: tuple = ()


@dataclasses.dataclass
class Setting:
    """One run: what is watched, for how long, and what must come out."""
    words: str
    urls: list
    expected: list
    warm_s: float = 12
    watch_s: float = 76
    scale: float = SCALE
    interval_s: float | None = None


class Site:
    """A server of this run and its clients."""

    def __init__(self, lab, templates, rng):
        self.lab, self.rng, self.templates = lab, rng, templates
        self.port = None
        self.clients = 0

    def postgres(self, connections=200):
        self.port = self.lab.postgres(self.templates[0], connections)
        return self.port

    def url(self, port=None, database="shop"):
        return f"postgresql://{WATCHER}@127.0.0.1:{port or self.port}/{database}?sslmode=disable"

    def client(self, program, app, env=None, port=None, **plan):
        self.clients += 1
        plan = {"host": "127.0.0.1", "port": port or self.port, "user": "app", "database": "shop", "app": app,
                "seed": self.rng.randrange(1 << 30), **plan}
        self.lab.start([*program, json.dumps(plan)], f"client{self.clients}.log", env=env)

    def bb8(self, app, **plan):
        self.client([EXAMPLES / "pool_bb8"], app, **{"sweep_s": 0.2, **plan})

    def node(self, app, **plan):
        self.client(["node", HERE / "pool_node.js"], app, env=NODE, **plan)

    def psycopg(self, app, **plan):
        self.client([PYTHON, HERE / "pool_psycopg.py"], app, **plan)

    def unpooled(self, app, program="rust", **plan):
        programs = {"rust": [EXAMPLES / "unpooled"], "node": ["node", HERE / "unpooled_node.js"],
                    "psycopg": [PYTHON, HERE / "pool_psycopg.py"]}
        self.client(programs[program], app, env=NODE, **plan)

    def psql(self, app, **plan):
        self.client([sys.executable, HERE / "scripts.py"], app, **plan)

    def odbc(self, app, timeout_s, **plan):
        """unixODBC's own pool with this CPTimeout, a whole number of seconds; 0: none."""
        folder = self.lab.folder / f"odbc{self.clients}"
        folder.mkdir()
        (folder / "odbcinst.ini").write_text(
            f"[ODBC]\nPooling = {'Yes' if timeout_s else 'No'}\n"
            f"[PG]\nDriver = {os.environ['PSQLODBC']}\nCPTimeout = {timeout_s}\n")
        string = (f"Driver=PG;Server=127.0.0.1;Port={self.port};Uid=app;SSLmode=disable;"
                  f"pqopt={{application_name={app}}}")
        self.client([PYTHON, HERE / "pool_odbc.py"], app, env={"ODBCSYSINI": str(folder)}, string=string,
                    pooled=timeout_s > 0, **plan)


def trickle(every_s, hold_s):
    return {"kind": "trickle", "every_s": every_s, "hold_s": hold_s}


def bursts(period_s, least, most, hold_s, together, jitter=0.05, **more):
    return {"kind": "bursts", "period_s": period_s, "jitter": jitter, "least": least, "most": most, "hold_s": hold_s,
            "together": together, **more}
