"""Servers, poolers and clients of one run: started in a folder of their own, stopped by their process ids.

A child is told to end when this process does, whatever happens to it (setpriv --pdeathsig): nothing survives a kill -9.
"""
import os
import pathlib
import pwd
import random
import shutil
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(os.environ["ROOT"])
CACHE = ROOT / ".cache"
TARGET = pathlib.Path(os.environ["TARGET"])
POSTGRES = pathlib.Path(os.environ["PG"])
PGBOUNCER = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
MARIADB = shutil.which("mariadbd", path=os.environ["PATH"] + ":/usr/sbin")
PYTHON = CACHE / "python/bin/python"
HERE = pathlib.Path(__file__).parent
WATCHER = "dba"  # the role that peaje logs in as


class Stopped(Exception):
    """The whole table was interrupted."""


class Failed(Exception):
    """A part of a run did not start, or peaje did not end well."""


STOP = threading.Event()
_PORTS = threading.Lock()
_GIVEN = set()


def free_port():
    """A port that nobody listens on, below the range of outgoing connections, and given out once only."""
    with _PORTS:
        while True:
            port = random.randrange(21000, 32000)
            with socket.socket() as probe:
                if port not in _GIVEN and probe.connect_ex(("127.0.0.1", port)) != 0:
                    _GIVEN.add(port)
                    return port


def pause(seconds):
    if STOP.wait(seconds):
        raise Stopped


def account(name):
    """What makes a command run as `name`, when this process is root; servers refuse to be root."""
    if os.geteuid() != 0:
        return []
    entry = pwd.getpwnam(name)
    return [f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]


def give(path, name):
    if os.geteuid() == 0:
        shutil.chown(path, name, pwd.getpwnam(name).pw_gid)


class Lab:
    """What one run started."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.children = []

    def start(self, command, log, user=None, signal="TERM", env=None):
        as_user = account(user) if user else []
        command = ["setpriv", "--pdeathsig", signal, *as_user, "--", *map(str, command)]
        with open(self.folder / log, "ab") as out:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd="/",
                                     start_new_session=True, env={**os.environ, **(env or {})})
        self.children.append(child)
        return child

    def log(self, log):
        return (self.folder / log).read_text(errors="replace").strip()[-600:]

    def wait_for(self, port, child, log):
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            if child.poll() is not None:
                break
            pause(0.1)
        raise Failed(f"nothing listens on port {port}: {self.log(log)}")

    def end(self):
        """The clients first, then the servers: the last started ends first."""
        for child in reversed(self.children):
            if child.poll() is None:
                child.terminate()
                try:
                    child.wait(10)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- servers ----------------------------------------------------------------------------------------------------

    def postgres(self, template, connections):
        """A server with a superuser `postgres`, a role `app` and one that may watch; returns its port."""
        port, data = free_port(), self.folder / "data"
        shutil.copytree(template, data)
        for path in [data, *data.rglob("*")]:
            give(path, "postgres")
        (data / "postgresql.conf").write_text(
            f"port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
            f"max_connections = {connections}\nshared_buffers = 8MB\nfsync = off\nautovacuum = off\n"
            "max_wal_senders = 0\nwal_level = minimal\nmax_parallel_workers = 0\nlog_min_messages = fatal\n")
        child = self.start([POSTGRES / "postgres", "-D", data], "postgres.log", user="postgres", signal="QUIT")
        self.wait_for(port, child, "postgres.log")
        return port

    def pgbouncer(self, server, **settings):
        if not PGBOUNCER:
            raise Failed("no pgbouncer: install the package `pgbouncer`, or run scripts/setup")
        port = free_port()
        lines = {"listen_addr": "127.0.0.1", "listen_port": port, "unix_socket_dir": "", "auth_type": "trust",
                 "auth_file": self.folder / "users.txt", "stats_users": WATCHER, "max_client_conn": 500,
                 "ignore_startup_parameters": "extra_float_digits", "log_connections": 0, "log_disconnections": 0,
                 **settings}
        (self.folder / "users.txt").write_text(f'"app" ""\n"{WATCHER}" ""\n')
        (self.folder / "pgbouncer.ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\n"
            + "".join(f"{key} = {value}\n" for key, value in lines.items()))
        child = self.start([PGBOUNCER, self.folder / "pgbouncer.ini"], "pgbouncer.log", user="postgres")
        self.wait_for(port, child, "pgbouncer.log")
        return port

    def mariadb(self, template, password):
        """A server whose root has no password over its socket, and a user `app`; returns its port."""
        port, data = free_port(), self.folder / "mariadb"
        shutil.copytree(template, data)
        for path in [self.folder, data, *data.rglob("*")]:
            give(path, "mysql")
        child = self.start(
            [MARIADB, "--no-defaults", f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1",
             f"--socket={data}/socket", f"--pid-file={data}/pid", "--skip-name-resolve",
             "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=8M", "--max-connect-errors=1000000000"],
            "mariadb.log", user="mysql")
        self.wait_for(port, child, "mariadb.log")
        self.mariadb_sql(data / "socket", f"""
            create user app@'127.0.0.1' identified by '{password}';
            create user {WATCHER}@'127.0.0.1'; grant process, replication client on *.* to {WATCHER}@'127.0.0.1'""")
        return port

    @staticmethod
    def mariadb_sql(endpoint, statements):
        done = subprocess.run(["mariadb", "--no-defaults", "-S", endpoint, "-u", "root", "-e", statements],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"mariadb: {done.stderr.strip()}")


def missing():
    """Parts that the table needs and this machine does not have, with the package of each."""
    wanted = [
        (POSTGRES / "postgres", "postgresql"), (PGBOUNCER or "pgbouncer", "pgbouncer"),
        (MARIADB or "mariadbd", "mariadb-server"), (shutil.which("setpriv") or "setpriv", "util-linux"),
        (shutil.which("psql") or "psql", "postgresql-client"), (shutil.which("node") or "node", "nodejs"),
        (os.environ.get("PSQLODBC") or "psqlodbcw.so", "odbc-postgresql"),
        (CACHE / "node/node_modules/pg", "pg (npm)"), (CACHE / "node/node_modules/mysql2", "mysql2 (npm)"),
        (os.environ["PEAJE"], "peaje itself: cargo build"),
        (EXAMPLES / "pool_bb8", "its example: cargo build -p peaje-watch --examples"),
    ]
    return [f"{path} is missing ({package})" for path, package in wanted if not os.path.exists(path)]


EXAMPLES = pathlib.Path(os.environ.get("EXAMPLES") or TARGET / "debug/examples")


def templates(folder):
    """A fresh PostgreSQL and a fresh MariaDB to copy: making one takes seconds, copying it takes none."""
    postgres, mariadb = folder / "template", folder / "mariadb"
    for path, user in [(postgres, "postgres"), (mariadb, "mysql")]:
        path.mkdir()
        give(path, user)
    run_as("postgres", [POSTGRES / "initdb", "-D", postgres, "-A", "trust", "-U", "postgres", "-N"])
    roles = f"""create role app login;
        create role {WATCHER} login;
        grant pg_monitor to {WATCHER};
        create database shop;
"""
    run_as("postgres", [POSTGRES / "postgres", "--single", "-D", postgres, "postgres"], roles)
    run_as("mysql", ["mariadb-install-db", "--no-defaults", f"--datadir={mariadb}", "--skip-test-db",
                     "--auth-root-authentication-method=normal"])
    return postgres, mariadb


def run_as(user, command, text=""):
    started = time.monotonic()
    done = subprocess.run(["setpriv", "--pdeathsig", "KILL", *account(user), "--", *map(str, command)], input=text,
                          capture_output=True, text=True, cwd="/", check=False)
    if done.returncode:
        raise Failed(f"{command[0]} failed after {time.monotonic() - started:.0f} s: {done.stderr.strip()[-600:]}")
