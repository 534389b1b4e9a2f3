"""Turns the lines that scripts/bench-login recorded into the Markdown of BENCHMARKS.md.

Rates are the tools' own. CPU per login is the process's whole CPU (getrusage of the child, start and end included)
divided by the logins that the *server* counted, so that no tool chooses its own divisor.
"""

import json
import statistics
import sys
from collections import defaultdict


def main():
    groups = defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            groups[run["part"], run["case"], run["who"]].append(run)
    medians = {key: summary(runs) for key, runs in groups.items()}
    print_postgres(medians)
    print_bare(medians)
    print_mariadb(medians)
    print_protocols(medians)
    print_memory(medians)


def summary(runs):
    def cpu_us(run):
        return (run["used"]["user_s"] + run["used"]["system_s"]) / run["logins"] * 1e6

    rates = [run["per_s"] for run in runs]
    return {
        "rate": statistics.median(rates),
        "low": min(rates),
        "high": max(rates),
        "cpu_us": statistics.median(map(cpu_us, runs)),
        "peak_mib": max(run["used"]["peak_kib"] for run in runs) / 1024,
        "counted": statistics.median(run["logins"] / run["used"]["wall_s"] for run in runs),
        "n": len(runs),
    }


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def ratio(a, b):
    return f"{a / b:.2f}" if b else ""


def print_postgres(medians):
    rows = []
    # The goals: rate against pgbench at least, CPU against pgbench at most.
    for case, rate_goal, cpu_goal in [("trust", 0.95, 0.7), ("TLS", 1.1, 0.35), ("SCRAM", 1.6, 0.06), ("SCRAM + TLS", 1.5, 0.12)]:
        peer = medians.get(("postgres", case, "pgbench"))
        for who in ["pgbench", "peaje", "peaje, cache off", "peaje, polite", "epoll, quick", "epoll, polite"]:
            found = medians.get(("postgres", case, who))
            if not found:
                continue
            goals = f"≥ {rate_goal}, ≤ {cpu_goal}" if who == "peaje" else "CPU ≤ 0.25" if who.endswith("off") else ""
            rows.append([case, who, f"{found['rate']:.0f}", f"{found['low']:.0f} to {found['high']:.0f}", f"{found['counted']:.0f}",
                         f"{found['cpu_us']:.0f}", ratio(found["rate"], peer["rate"]), ratio(found["cpu_us"], peer["cpu_us"]), goals])
    if not rows:
        return
    table(["case", "client", "logins/s", "lowest to highest", "server's count/s", "client CPU µs/login", "rate / pgbench",
           "CPU / pgbench", "goal"], rows)
    for close, peaje in [("quick", "peaje"), ("polite", "peaje, polite")]:
        ours, least = medians.get(("postgres", "trust", peaje)), medians.get(("postgres", "trust", f"epoll, {close}"))
        if ours and least:
            print(f"Client CPU of peaje beside the C epoll loop, trust, {close} close: "
                  f"{ratio(ours['cpu_us'], least['cpu_us'])}" + (" (goal ≤ 1.6)" if close == "quick" else "") + "\n")


def print_bare(medians):
    order = [("bare TCP", "C pair"), ("reference server", "peaje"), ("reference server", "epoll, quick")]
    bare = medians.get(("bare", *order[0]))
    rows = []
    for case, who in order:
        found = medians.get(("bare", case, who))
        if found:
            rows.append([case, who, f"{found['rate']:.0f}", f"{found['low']:.0f} to {found['high']:.0f}", f"{found['cpu_us']:.0f}",
                         ratio(found["rate"], bare["rate"]) if bare else "", "≥ 0.65" if who == "peaje" else ""])
    if rows:
        table(["server", "client", "logins or exchanges/s", "lowest to highest", "client CPU µs", "rate / bare", "goal"], rows)


def print_mariadb(medians):
    peer, bare = (medians.get(("mariadb", "native", who)) for who in ["mariadb-slap --detach=1", "bare TCP"])
    if not peer or not bare:
        return
    most = max(120.0, 1.5 * bare["cpu_us"])
    rows = []
    for who in ["mariadb-slap --detach=1", "peaje", "bare TCP"]:
        found = medians.get(("mariadb", "native", who))
        if found:
            rows.append([who, f"{found['rate']:.0f}", f"{found['low']:.0f} to {found['high']:.0f}", f"{found['cpu_us']:.0f}",
                         ratio(found["rate"], peer["rate"]), ratio(found["cpu_us"], peer["cpu_us"]),
                         f"≥ 1, CPU ≤ {most:.0f} µs" if who == "peaje" else ""])
    table(["client", "logins or exchanges/s", "lowest to highest", "client CPU µs", "rate / slap", "CPU / slap", "goal"], rows)


def print_protocols(medians):
    peer = medians.get(("protocols", "reference server", "postgres"))
    rows = []
    for who in ["postgres", "mysql", "sqlserver"]:
        found = medians.get(("protocols", "reference server", who))
        if found and peer:
            rows.append([who, f"{found['rate']:.0f}", f"{found['low']:.0f} to {found['high']:.0f}", f"{found['cpu_us']:.0f}",
                         ratio(found["rate"], peer["rate"]), "≥ 0.6" if who == "sqlserver" else ""])
    if rows:
        table(["protocol", "logins/s", "lowest to highest", "client CPU µs", "rate / postgres", "goal"], rows)


def print_memory(medians):
    rows = [[case, f"{found['peak_mib']:.1f}", f"{found['rate']:.0f}"]
            for (part, case, _), found in medians.items() if part == "memory"]
    if rows:
        table(["one run of", "peak memory of the client, MiB (goal: below 60)", "logins/s"], rows)


main()
