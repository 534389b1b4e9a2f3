"""What is put before peaje: real clients with known settings, and what a DBA would call each.

Times are scaled down: with a time scale of 30 an idle timeout of 60 s is one of 2 s here. Each run draws its settings
from its own seed. `together` in the bursts of a pool means that all pools have theirs at the same moment.
"""
import random

from clients import NODE, Expected, Setting, bursts, trickle
from lab import HERE, WATCHER


def no_pooling(site, n):
    rng, port = site.rng, site.postgres()
    rate, workers, hold_s = rng.uniform(5, 14), rng.randint(2, 8), rng.uniform(0.002, 0.04)
    work = {"kind": "requests", "workers": workers, "think_s": max(workers / rate - hold_s, 0.01), "hold_s": hold_s}
    program = ["rust", "node", "psycopg", "odbc"][n % 4]
    if program == "odbc":
        site.odbc("orders", 0, work={**work, "workers": 1, "think_s": 1 / rate})
    else:
        site.unpooled("orders", program, work=work)
    return Setting(f"{program}, {workers} workers, {rate:.0f} logins/s", [site.url()],
                   [Expected(port, "orders", "no-pooling")], warm_s=5)


def scripts(site, n):
    rng, port = site.rng, site.postgres()
    if n % 2:
        period_s, at_once = rng.uniform(0.8, 1.1), 1
    else:
        period_s, at_once = rng.choice([2.0, 10.0 / 3]), rng.randint(3, 5)
    site.psql("nightly", period_s=period_s, at_once=at_once,
                work_s=rng.uniform(0.02, 0.15))
    return Setting(f"psql, {at_once} each {period_s:.2f} s", [site.url()], [Expected(port, "nightly", "short-scripts")],
                   warm_s=3)


def pool_below_min(site, n):
    rng, port = site.rng, site.postgres()
    pools, least, idle_s = rng.randint(3, 10), rng.randint(2, 8), rng.uniform(1.2, 8)
    sweep_s = rng.uniform(0.1, 0.5) * idle_s
    while pools * least * 70 / (idle_s + sweep_s / 2) < 80:
        pools += 1
    site.bb8("orders", pools=pools, min=least, max=least + 4, idle_s=idle_s, sweep_s=sweep_s, start_within_s=idle_s,
             work=trickle(rng.uniform(1, 4), 0.005))
    return Setting(f"bb8, {pools} × {least}, idle {idle_s:.1f} s, sweep {sweep_s:.1f} s", [site.url()],
                   [Expected(port, "orders", "pool-below-min")], warm_s=10)


def idle_timeout(site, n):
    rng, port = site.rng, site.postgres()
    idle_s = rng.uniform(1.5, 4)
    period_s, most, together = idle_s * rng.uniform(1.7, 2.6), rng.randint(4, 9), rng.random() < 0.5
    program = ["node", "psycopg", "bb8", "odbc", "node"][n % 5]
    pools = rng.randint(2, 6)
    work = bursts(period_s, max(most - 2, 2), most, rng.uniform(0.1, 0.3), together)
    if program == "odbc":
        idle_s = rng.choice([2, 3])
        period_s = idle_s * rng.uniform(2.2, 3)
        for _ in range(3):
            site.odbc("orders", idle_s, work=bursts(period_s, most, most, 0.2, True, 0.1, between_s=0.5))
    elif program == "psycopg":
        # Its pool looks once in each idle time what was not needed since the last look: up to two idle times.
        work["period_s"] = period_s = idle_s * rng.uniform(3.5, 4.5)
        # Every second session outlives the pause; there must be 60 logins in any case.
        pools = max(pools, round(3.5 * period_s / most))
        for _ in range(2):
            site.psycopg("orders", pools=(pools + 1) // 2, min=0, max=most + 2, idle_s=idle_s, work=work)
    elif program == "bb8":
        site.bb8("orders", pools=pools, max=most + 2, idle_s=idle_s, sweep_s=idle_s / 5, work=work)
    else:
        for _ in range(2):
            site.node("orders", pools=(pools + 1) // 2, max=most + 2, idle_s=idle_s, work=work)
    words = f"{program}, {pools} pools, idle {idle_s:.1f} s, bursts of {most} each {period_s:.1f} s"
    return Setting(words, [site.url()], [Expected(port, "orders", "idle-timeout-churn")])


def lifetime_wave(site, n):
    rng, port = site.rng, site.postgres()
    life_s, pools, size = rng.uniform(10, 18), rng.randint(3, 8), rng.randint(5, 10)
    if n % 3 == 2:
        life_s = round(life_s)
        site.node("orders", pools=2, max=size * 2, idle_s=0, lifetime_s=life_s,
                  work={"kind": "full", "workers": size * 2, "hold_s": 0.3})
        words = f"node, 2 × {size * 2}"
    else:
        site.bb8("orders", pools=pools, min=size, max=size + 2, lifetime_s=life_s, sweep_s=0.15,
                 work=trickle(0.5, 0.02))
        words = f"bb8, {pools} × {size}"
    return Setting(f"{words}, lifetime {life_s:.1f} s, no jitter", [site.url()],
                   [Expected(port, "orders", "lifetime-wave")], warm_s=3, watch_s=80, scale=60)


def min_too_big(site, n):
    rng, port = site.rng, site.postgres(400)
    pools, size = rng.randint(4, 10), rng.randint(15, 25)
    program = ["bb8", "psycopg", "node"][n % 3]
    work = trickle(pools * rng.uniform(1.5, 4), 0.002)
    plan = {"pools": pools, "min": size, "max": size + 10, "work": work}
    if program == "bb8":
        site.bb8("orders", **plan, lifetime_s=120, start_within_s=5)
    elif program == "psycopg":
        site.psycopg("orders", **plan)
    else:
        site.node("orders", **plan)
    return Setting(f"{program}, {pools} × {size}, hardly used", [site.url()],
                   [Expected(port, "orders", "pool-min-too-big")], warm_s=12)


def max_too_small(site, n):
    rng, port = site.rng, site.postgres()
    pools, size, hold_s = rng.randint(2, 5), rng.choice([2, 4, 5, 10]), rng.uniform(0.15, 0.4)
    program = ["node", "psycopg", "bb8"][n % 3]
    plan = {"pools": pools, "min": size, "max": size,
            "work": {"kind": "full", "workers": 2 * size + 1, "hold_s": hold_s}}
    getattr(site, program)("orders", **plan)
    return Setting(f"{program}, {pools} × {size}, {2 * size + 1} workers each", [site.url()],
                   [Expected(port, "orders", "pool-max-too-small")], warm_s=8)


def leak(site, n):
    rng, port = site.rng, site.postgres(400)
    every_s, share, base = rng.uniform(0.3, 0.6), rng.uniform(0.5, 1), rng.randint(3, 12)
    program = ["rust", "psycopg"][n % 2]
    site.unpooled("orders", program, work={"kind": "leak", "every_s": every_s, "share": share})
    site.bb8("orders", pools=1, min=base, max=base, work=trickle(0.5, 0.02))
    return Setting(f"{program}, a login each {every_s:.1f} s, {share:.0%} forgotten, beside a pool of {base}",
                   [site.url()], [Expected(port, "orders", "session-leak")], warm_s=14)


def failed_logins(site, n):
    rng = site.rng
    port = site.port = site.lab.mariadb(site.templates[1], "right")
    clients, every_s, good = rng.randint(2, 8), rng.uniform(0.3, 1), rng.randint(3, 8)
    if clients / every_s < 5:
        every_s = clients / 5
    plan = {"user": "app", "password": "right", "max": good}
    site.client(["node", HERE / "pool_mysql.js"], "orders", env=NODE, **plan)
    site.client(["node", HERE / "failing_node.js"], "report", env=NODE, engine="mysql", wrong_password="wrong",
                clients=clients, every_s=every_s)
    return Setting(f"mysql2 on MariaDB, {clients} clients, {clients / every_s:.0f} failures/s, beside a pool of {good}",
                   [f"mysql://{WATCHER}@127.0.0.1:{port}?ssl-mode=DISABLED"],
                   [Expected(port, None, "failed-login-storm")], warm_s=3)


def healthy(site, n):
    """Pools that are in use and of constant size. Those with a maximum lifetime have been there for longer than that:
    their sessions are of all ages. Node's have none."""
    rng, port = site.rng, site.postgres()
    pools, size, warm_s = rng.randint(8, 12), rng.randint(2, 6), 12
    program = ["bb8", "psycopg", "node"][n % 3]
    plan = {"pools": pools, "min": size, "max": size, "work": trickle(rng.uniform(0.3, 1), rng.uniform(0.02, 0.1))}
    if program != "node":
        life_s = rng.uniform(33, 40)
        plan |= {"lifetime_s": life_s, "start_within_s": life_s}
        warm_s = life_s + 2
    getattr(site, program)("orders", **plan)
    words = f"lifetime {plan['lifetime_s']:.0f} s" if "lifetime_s" in plan else "no lifetime"
    return Setting(f"{program}, {pools} × {size}, {words}", [site.url()],
                   [Expected(port, "orders", None, ("steady", "maximum-lifetime"))], warm_s=warm_s)


def interactive(site, n):
    rng, port = site.rng, site.postgres()
    every_s, stay_s = rng.uniform(0.45, 0.8), rng.uniform(3, 12)
    work = {"kind": "people", "every_s": every_s, "stay_s": stay_s, "here": round(stay_s / every_s)}
    if n % 2:
        site.psql("psql", **work)
    else:
        site.unpooled("desktop", work=work)
    app = "psql" if n % 2 else "desktop"
    return Setting(f"{app}, one comes each {every_s:.1f} s and stays {stay_s:.0f} s", [site.url()],
                   [Expected(port, app, None, ("interactive-users",))], warm_s=5)


def batch(site, n):
    rng, port = site.rng, site.postgres()
    period_s, workers = rng.uniform(9, 16), rng.randint(10, 20)
    work_s, statement_s = rng.uniform(0.3, 0.7) * period_s, rng.uniform(0.2, 0.6)
    work = {"kind": "batches", "workers": workers, "period_s": period_s, "work_s": work_s, "statement_s": statement_s}
    if n % 2:
        site.psql("load", **work)
    else:
        site.unpooled("load", work=work)
    return Setting(f"{workers} workers each {period_s:.0f} s, {work_s:.0f} s of work", [site.url()],
                   [Expected(port, "load", None, ("batch-workers",))])


STEADY = ("steady", "maximum-lifetime")


def pgbouncer_transaction(site, n):
    rng, server = site.rng, site.postgres()
    words, front, back = ["", ""], None, None
    if n % 3 == 0:
        settings = {"default_pool_size": 20, "server_lifetime": 3600, "server_idle_timeout": 600}
    elif n % 3 == 1:
        settings = {"default_pool_size": 30, "server_idle_timeout": rng.choice([3, 4])}
    else:
        settings = {"default_pool_size": rng.choice([3, 4, 6]), "server_idle_timeout": 600}
    pooler = site.lab.pgbouncer(server, pool_mode="transaction", **settings)
    if n % 3 == 0:
        words = unpooled_through(site, pooler)
        front, back = "no-pooling", None
    elif n % 3 == 1:
        period_s, most = settings["server_idle_timeout"] * rng.uniform(1.8, 2.5), rng.randint(5, 9)
        # It opens one session at a time: a burst must last for there to be several, and 60 logins in any case.
        site.bb8("orders", port=pooler, pools=3, min=most, max=most, work=bursts(period_s, most, most, 0.8, True))
        words = (f"fixed pools, bursts of {3 * most} each {period_s:.1f} s, "
                 f"server_idle_timeout {settings['server_idle_timeout']} s")
        back = "idle-timeout-churn"
    else:
        workers = 3 * settings["default_pool_size"]
        site.bb8("orders", port=pooler, pools=1, min=workers, max=workers,
                 work={"kind": "full", "workers": workers, "hold_s": 0.25})
        words = f"{workers} clients for default_pool_size {settings['default_pool_size']}"
        front = back = "pool-max-too-small"
    return behind(site, pooler, server, words, front, back)


def pgbouncer_session(site, n):
    rng, server = site.rng, site.postgres()
    if n % 2 == 0:
        pooler = site.lab.pgbouncer(server, pool_mode="session", default_pool_size=20, server_idle_timeout=600)
        words = unpooled_through(site, pooler)
        return behind(site, pooler, server, words, "no-pooling", None)
    idle_s, most = rng.choice([3, 4]), rng.randint(4, 8)
    period_s = idle_s * rng.uniform(2.2, 2.8) + 3
    pooler = site.lab.pgbouncer(server, pool_mode="session", default_pool_size=40, server_idle_timeout=idle_s)
    site.node("orders", port=pooler, pools=3, max=most, idle_s=3, work=bursts(period_s, most, most, 0.3, True))
    words = (f"node's pools with an idle timeout of 3 s, bursts of {3 * most} each {period_s:.1f} s, "
             f"server_idle_timeout {idle_s} s")
    return behind(site, pooler, server, words, "idle-timeout-churn", "idle-timeout-churn")


def unpooled_through(site, pooler):
    """This PgBouncer (1.18) does not count logins: sessions much shorter than the distance of readings are not seen,
    and clients that are hardly ever seen look like scripts. So these stay for a few statements."""
    rate, hold_s = site.rng.uniform(6, 14), site.rng.uniform(0.08, 0.25)
    workers = 6
    work = {"kind": "requests", "workers": workers, "think_s": workers / rate - hold_s, "hold_s": hold_s}
    site.unpooled("orders", port=pooler, work=work)
    return f"clients without a pool, {rate:.0f} logins/s"


def behind(site, pooler, server, words, front, back):
    """Both sides of the pooler are watched; each has its own verdict. In session mode it resets the name of the
    application between two clients, so the server behind is judged as a whole."""
    expected = [Expected(pooler, "orders", front, STEADY), Expected(server, None, back, STEADY)]
    return Setting(words, [site.url(pooler, "pgbouncer"), site.url(server)], expected, interval_s=0.15)


def mixture(site, n):
    rng, port = site.rng, site.postgres(400)
    idle_s = rng.uniform(2, 4)
    site.bb8("orders", pools=40, max=4, idle_s=idle_s, sweep_s=idle_s / 5,
             work=bursts(idle_s * rng.uniform(2, 3), 2, 3, 0.1, False))
    work = {"kind": "requests", "workers": 3, "think_s": rng.uniform(0.3, 0.6), "hold_s": rng.uniform(0.01, 0.04)}
    site.unpooled("report", rng.choice(["rust", "node", "psycopg"]), work=work)
    return Setting(f"40 clients of `orders` with an idle timeout of {idle_s:.1f} s, 3 of `report` without a pool",
                   [site.url()],
                   [Expected(port, "orders", "idle-timeout-churn"), Expected(port, "report", "no-pooling")])


def many_phases(site, n):
    rng, port = site.rng, site.postgres(1200)
    period_s = rng.uniform(8, 12)
    site.bb8("orders", pools=300, max=5, idle_s=3, sweep_s=0.3, start_within_s=period_s,
             work=bursts(period_s, 1, 5, 0.1, False))
    return Setting(f"300 clients of one application, 1 to 5 sessions, idle timeout 3 s, needed each {period_s:.1f} s",
                   [site.url()], [Expected(port, "orders", "idle-timeout-churn")], 20, 95, 20)


# Name, what sets it up, how many of ten runs it gets.
CLASSES = {
    "no pooling": (no_pooling, 10), "short scripts": (scripts, 10), "pool below its minimum": (pool_below_min, 10),
    "idle timeout": (idle_timeout, 10), "lifetime wave": (lifetime_wave, 10), "minimum too big": (min_too_big, 10),
    "maximum too small": (max_too_small, 10), "leak": (leak, 10), "failed logins": (failed_logins, 10),
    "healthy fixed pool": (healthy, 10), "interactive users": (interactive, 10), "batch workers": (batch, 10),
    "PgBouncer, transaction": (pgbouncer_transaction, 10), "PgBouncer, session": (pgbouncer_session, 10),
    "40 that churn, 3 unpooled": (mixture, 4), "300 clients, own phases": (many_phases, 3),
}
QUICK = ["pool below its minimum", "no pooling", "idle timeout", "healthy fixed pool"]


def draw(name, n, seed):
    return random.Random(f"{name} {n} {seed}")
