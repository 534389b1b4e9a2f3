"""The live part of scripts/bench-diagnosis: real pools against real servers, watched by peaje, several side by side.

Prints a Markdown table; the last line has the two figures. Exit code 1 below the bar, 2 when a run could not be done.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import classes
import clients
import lab
from judge import judge

BAR = 0.9


def main():
    options = arguments()
    missing = lab.missing()
    if missing:
        sys.exit("\n".join("bench-diagnosis: " + line for line in [*missing, "scripts/setup installs what is missing"]))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: lab.STOP.set())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="peaje-diagnosis."))
    folder.chmod(0o755)
    try:
        return table(options, measure(options, folder))
    except lab.Stopped:
        return 130
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments():
    parser = argparse.ArgumentParser(prog="bench-diagnosis")
    parser.add_argument("--runs", type=int, default=10, help="runs of each class (default 10)")
    parser.add_argument("--only", default="", help="classes whose name contains this; several separated by |")
    parser.add_argument("--first", type=int, default=0, help="number of the first run of each class")
    parser.add_argument("--quick", type=int, metavar="N", help="four classes, N runs each")
    parser.add_argument("--side-by-side", type=int, default=8, metavar="N", help="runs at the same time (default 8)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep the run files and recordings there")
    return parser.parse_args()


def measure(options, folder):
    templates = lab.templates(folder)
    pending = list(chosen(options))
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.side_by_side) as pool:
        # A moment apart: eight servers and their clients starting at once would disturb the runs under way.
        gate = threading.Lock()
        futures = [pool.submit(run, options, folder, templates, gate, name, n) for name, n in pending]
        for future in concurrent.futures.as_completed(futures):
            if lab.STOP.is_set():
                for other in futures:
                    other.cancel()
                continue
            results.append(future.result())
    if lab.STOP.is_set():
        raise lab.Stopped
    return results


def chosen(options):
    """Run n of every class before run n + 1 of any: whatever disturbs the machine for a while hits all classes."""
    names = classes.QUICK if options.quick else list(classes.CLASSES)
    if options.only:
        names = [name for name in names if any(part in name for part in options.only.split("|"))]
    runs = options.quick or options.runs
    for n in range(options.first, options.first + runs):
        for name in names:
            if n - options.first < -(-classes.CLASSES[name][1] * runs // 10):
                yield name, n


def run(options, folder, templates, gate, name, n):
    words, started = "", time.monotonic()
    here = lab.Lab(folder / f"{list(classes.CLASSES).index(name)}-{n}")
    try:
        site = clients.Site(here, templates, classes.draw(name, n, options.seed))
        with gate:
            lab.pause(0.5)
            setting = classes.CLASSES[name][0](site, n)
        words = setting.words
        lab.pause(setting.warm_s)
        groups = watch(options, here, setting, f"{name} {n}")
        ports = list(dict.fromkeys(expectation.port for expectation in setting.expected))
        wrong, accused = judge(groups, setting.expected, ports)
    except lab.Stopped:
        return name, n, words, ["stopped"], False
    except Exception as error:  # one run that cannot be done must not end the others
        if not isinstance(error, lab.Failed):
            traceback.print_exc()
        wrong, accused = [f"could not be done: {error}"], False
    finally:
        here.end()
    print(f"{name} {n} ({words}), {time.monotonic() - started:.0f} s: {'; '.join(wrong) or 'right'}",
          file=sys.stderr, flush=True)
    return name, n, words, wrong, accused


def watch(options, here, setting, label):
    interval_s = setting.interval_s or 10 / setting.scale
    file, recording = here.folder / "run.json", here.folder / "run.db"
    command = [os.environ["PEAJE"], "watch", *setting.urls, "--interval", f"{interval_s * 1000:.0f}ms", "--plain",
               "--window", "30m", "--time-scale", str(setting.scale), "--for", f"{setting.watch_s:.0f}s",
               "--json", str(file)]
    if options.keep:
        command += ["--record", str(recording)]
    child = here.start(command, "watch.log")
    try:
        until = time.monotonic() + setting.watch_s + 60
        while child.poll() is None and time.monotonic() < until:
            lab.pause(0.1)
        if child.returncode != 0 or not file.exists():
            raise lab.Failed(f"peaje watch ended with {child.returncode}: {here.log('watch.log')}")
        return json.loads(file.read_text())["watch"]["groups"]
    finally:
        if options.keep:
            keep(options.keep, label, setting, file, recording)


def keep(folder, label, setting, *files):
    folder.mkdir(parents=True, exist_ok=True)
    base = label.replace(" ", "-").replace(",", "")
    (folder / f"{base}.txt").write_text(f"{setting.words}\n{setting.expected}\n")
    for file in files:
        if file.exists():
            shutil.copy(file, folder / f"{base}{file.suffix}")


def table(options, results):
    print("| class | runs | right | what the others said | healthy accused |\n|---|---:|---:|---|---:|")
    for name in classes.CLASSES:
        of = sorted(result for result in results if result[0] == name)
        if of:
            wrong = "; ".join(f"run {n}: {', '.join(said)}" for _, n, _, said, _ in of if said)
            print(f"| {name} | {len(of)} | {sum(not said for *_, said, _ in of)} | {wrong} | {sum(r[4] for r in of)} |")
    right, accused = sum(not said for *_, said, _ in results), sum(result[4] for result in results)
    print(f"\nright {100 * right / max(len(results), 1):.1f} %, benign accused {accused}", flush=True)
    return 0 if results and right >= BAR * len(results) and accused == 0 else 1


sys.exit(main())
