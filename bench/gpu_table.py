#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a folder of programs on one GPU: nereid, eager PyTorch, torch.compile in its default mode and max-autotune.

    bench/gpu_table.py FOLDER --emit PROGRAMS       no GPU: converts bench/held_out, say, at stage 3 into FOLDER
    bench/gpu_table.py FOLDER                       GPU: measures for at most --seconds, then prints the table
    bench/gpu_table.py FOLDER --table               no GPU: prints the table of what was measured

FOLDER/results.jsonl has a line for each program, way (forward; forward and backward) and run; a call goes on where the
last one stopped, so that ten minutes at a time are enough. Each run is a process of its own which tunes anew: a batch of
programs compiles side by side, then each has the GPU alone, one after the other. A time is the median of its
calls; the table shows the median of the runs and, behind it, how far they lie apart. Shares are of the bandwidth of a
copy in the same process: the least possible bytes / time, 100 % at most, beside it what was found where it is more (data
that stays in the cache, gradients that are views). `device` is without the host: all kernels of a call stand ready
before the first one starts.
"""

import argparse
import contextlib
import json
import math
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from timed_programs import ROOT, Marks, Program  # noqa: E402

WAYS = ("forward", "backward")
MODES = {"compile": None, "max-autotune": "max-autotune-no-cudagraphs"}  # --default-mode leaves the first alone
CACHE = Path(tempfile.gettempdir()) / f"nereid-gpu-table-{os.getuid()}"


def emit(folder, programs, binary):
    """Converts every program of the folder; returns how many were refused though nothing says that they are."""
    table, surprises = {}, 0
    for path in sorted(programs.resolve().glob("*.py")):
        marks, entry = Marks(path), {"source": str(path.relative_to(ROOT)), "files": {}}
        for way in WAYS[: 1 if marks.is_forward else 2]:
            command = [str(binary), "convert", f"{entry['source']}:{marks.name}", "--stage", "3", "--json"]
            command += ["-o", str(folder / way / path.stem)] + ["--backward"] * (way == "backward")
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
            if done.returncode == 0:
                file = Path(json.loads(done.stdout)["files"][0]["path"])
                entry["files"][way] = str(file.resolve().relative_to(folder))
            else:
                entry["refused"] = (done.stderr.splitlines() or [f"exit {done.returncode}"])[0]
                surprises += not marks.refused or marks.refused not in done.stderr
                print(f"{path.stem} {way}: {entry['refused']}")
        table[path.stem] = entry
    (folder / "programs.json").write_text(json.dumps(table, indent=1))
    return surprises


def forget_tuning():
    """What was compiled stays; which configuration was best is to be found again."""
    for pattern in ("*.autotune.json", "*.best_config"):
        for path in CACHE.rglob(pattern):
            path.unlink(missing_ok=True)


class Contest:
    """A program in one way and those that compute it: made side by side with others, timed while no other has the GPU."""

    def __init__(self, program, path):
        from gpu_memory_bound import measure_calls, measure_device

        self.program, self.path = program, path
        self.measures = {"": measure_calls, " device": measure_device}
        self.functions = {name: self.make(name) for name in ("nereid", "eager", *MODES)}
        self.error, self.beyond = program.get_error(program.load_emitted(path))

    def make(self, name):
        """A function of the inputs that has been called once; what is compiled is found in the caches later."""
        import torch

        if name == "nereid":
            made = self.program.load_emitted(self.path)
        elif name == "eager":
            made = self.program.original
        else:
            torch._dynamo.reset()
            made = torch.compile(self.program.original, mode=MODES[name])
        function = self.program.bind(made)
        function(*self.program.inputs)
        return function

    def tunes(self, name):
        """Whether the first call measures what is fastest."""
        return name == "max-autotune" or (name == "nereid" and os.environ.get("NEREID_CONFIG") != "first")

    def measure(self):
        """One row: microseconds with the host and without, by contestant. What tunes is made again: it tunes alone."""
        from gpu_memory_bound import copy_bandwidth

        forget_tuning()
        row = {"floor": self.program.get_least_bytes() / copy_bandwidth(), "error": self.error, "beyond": self.beyond}
        for name, function in self.functions.items():
            function = self.make(name) if self.tunes(name) else function
            for kind, measure in self.measures.items():
                row[name + kind] = measure(function, self.program.inputs)
        return row


def run_child(folder, name, number):
    """Makes ready a program in every way, says so, waits for a line, measures and prints a line for each way."""
    import torch

    entry = json.loads((folder / "programs.json").read_text())[name]

    def prepare(way, file):
        return Contest(Program(ROOT / entry["source"], way), folder / file)

    contests = {}
    for way, file in entry["files"].items():
        with contextlib.suppress(Exception):  # memory may be short beside others; what fails alone too is told of
            contests[way] = prepare(way, file)
        torch.cuda.empty_cache()
    print("ready", flush=True)
    sys.stdin.readline()
    for way, file in entry["files"].items():
        row = {"program": name, "way": way, "run": number}
        try:
            row |= (contests.pop(way, None) or prepare(way, file)).measure()
            row |= {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}
        except Exception as problem:  # the table shows what failed and goes on
            row["problem"] = f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0][:200]}"
        torch.cuda.empty_cache()
        print(json.dumps(row), flush=True)
    os._exit(0)  # autograd's threads may outlive CUDA


class Child:
    """A process for one program and run."""

    def __init__(self, folder, name, number):
        self.row = {"program": name, "run": number}
        command = [sys.executable, __file__, str(folder), "--child", name, "--run", str(number)]
        command += ["--default-mode"] * (len(MODES) == 1)
        caches = {"TRITON_CACHE_DIR": str(CACHE / "triton"), "TORCHINDUCTOR_CACHE_DIR": str(CACHE / "inductor")}
        caches["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # the programs stand side by side already
        self.errors = tempfile.TemporaryFile("w+")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.errors, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | caches, **pipes)

    def is_ready(self, end):
        """Whether the program is, or ended, before the time is over."""
        said = b""
        while b"ready\n" not in said:
            if not select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                return False
            said += (part := os.read(self.process.stdout.fileno(), 1 << 16))
            if not part:
                break
        return True

    def measure(self, seconds):
        """The rows that it prints; a row with the problem where it died."""
        try:
            output, _ = self.process.communicate("go\n", timeout=max(seconds, 1))
            problem = f"exit {self.process.returncode}" if self.process.returncode else ""
        except (subprocess.TimeoutExpired, BrokenPipeError) as stopped:
            output, problem = "", type(stopped).__name__
            self.stop()
        rows = [json.loads(line) for line in output.splitlines() if line.startswith('{"program"')]
        if problem or not rows:
            self.errors.seek(0)
            rows.append(self.row | {"problem": f"{problem}: {self.errors.read().strip()[-200:]}"})
        return rows

    def stop(self):
        self.process.kill()
        self.process.communicate()


def get_pending(folder, names, runs):
    """The (run, program) that no line of the results has yet, run by run."""
    done = {(row["run"], row["program"]) for row in read_results(folder)}
    return [(number, name) for number in range(runs) for name in names if (number, name) not in done]


def measure_all(folder, options):
    """Goes on where the last call stopped, for at most so many seconds."""
    end = time.monotonic() + options.seconds
    programs = json.loads((folder / "programs.json").read_text())
    names = [name for name, entry in programs.items() if entry["files"] and options.only in name]
    CACHE.mkdir(parents=True, exist_ok=True)
    pending = get_pending(folder, names, options.runs)
    while pending and end - time.monotonic() > options.least:
        batch = [Child(folder, name, number) for number, name in pending[: options.jobs]]
        pending = pending[options.jobs :]
        prepared = min(end, time.monotonic() + options.preparing)
        for child, is_ready in [(child, child.is_ready(prepared)) for child in batch]:
            left = end - time.monotonic()
            if left > options.least or is_ready:
                rows = child.measure(left) if is_ready else [child.row | {"problem": "not ready in time"}]
                if time.monotonic() < end:
                    with (folder / "results.jsonl").open("a") as file:
                        file.writelines(json.dumps(row) + "\n" for row in rows)
            child.stop()
        print(f"{len(get_pending(folder, names, options.runs))} runs are left", flush=True)


def read_results(folder):
    path = folder / "results.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def spread(values, form):
    """The median, and the least and the greatest where they show as others."""
    shown = [form(value) for value in (statistics.median(values), min(values), max(values))]
    return shown[0] if len(set(shown)) == 1 else f"{shown[0]} ({shown[1]} to {shown[2]})"


def percent(value):
    return f"{value:.0%}"


def times(value):
    return f"{value:.2f}x"


def share_cell(rows, kind):
    """The share of the copy bandwidth, at most 100 %, and what was found where it is more."""
    shares = [row["floor"] / row["nereid" + kind] for row in rows]
    uncapped = statistics.median(shares)
    return spread([min(share, 1.0) for share in shares], percent) + (f" [{uncapped:.0%}]" if uncapped > 1 else "")


def line(name, rows):
    """A program's line: first with the host, then without."""
    cells = [name, spread([row["nereid"] for row in rows], "{:.0f}".format)]
    for kind in ("", " device"):
        cells.append(share_cell(rows, kind))
        for other in ("eager", *MODES):
            cells.append(spread([row[other + kind] / row["nereid" + kind] for row in rows], times))
    return "| " + " | ".join([*cells, f"{max(row['error'] for row in rows):.2f}"]) + " |"


def summary(by_run, kind):
    """Geometric means of the programs, of each run, and how far the runs lie apart."""

    def spread_of(value, form):
        return spread([geometric_mean([value(row) for row in rows]) for rows in by_run.values()], form)

    capped = spread_of(lambda row: min(1.0, row["floor"] / row["nereid" + kind]), percent)
    uncapped = spread_of(lambda row: row["floor"] / row["nereid" + kind], percent)
    text = [f"{capped} of copy [{uncapped}]"]
    for other in MODES:
        theirs = spread_of(lambda row: min(1.0, row["floor"] / row[other + kind]), percent)
        text.append(f"{other} {theirs}")
    for other in ("eager", *MODES):
        text.append(f"{spread_of(lambda row: row[other + kind] / row['nereid' + kind], times)} {other}")
    return ", ".join(text)


def print_means(found, runs, text):
    """The means of those that all runs measured."""
    whole = [each for each in found.values() if len(each) == len(runs)]
    by_run = {run: [each[run] for each in whole] for run in runs}
    for kind in ("", " device") if whole else ():
        print(f"Geometric means over {len(whole)}{text}, {kind.strip() or 'with the host'}: {summary(by_run, kind)}")


def print_table(folder):
    path = folder / "programs.json"
    programs = json.loads(path.read_text()) if path.exists() else {}
    sources = {name: ROOT / entry["source"] for name, entry in programs.items() if "source" in entry}
    surveyed = {name for name, source in sources.items() if Marks(source).surveyed}
    rows = read_results(folder)
    good = [row for row in rows if "problem" not in row]
    for way in WAYS:
        found = {}
        for row in good:
            if row["way"] == way:
                found.setdefault(row["program"], {})[row["run"]] = row
        if not found:
            continue
        runs = sorted({run for each in found.values() for run in each})
        print(f"\n{way}: {len(found)} programs, {len(runs)} runs; {good[0]['gpu']}, torch {good[0]['torch']}\n")
        against = ["against eager", *MODES]
        columns = ["program", "us", "of copy", *against, "device: of copy", *against, "error/allowed"]
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
        for name in sorted(found):
            print(line(name, list(found[name].values())))
        print()
        print_means(found, runs, "")
        if unseen := {name: each for name, each in found.items() if name not in surveyed and surveyed & found.keys()}:
            print_means(unseen, runs, " without a surveyed twin")
    for row in rows:
        if "problem" in row:
            print(f"failed: {row['program']} {row.get('way', '')} run {row['run']}: {row['problem']}")
    for name, entry in programs.items():
        if "refused" in entry:
            print(f"refused: {name}: {entry['refused']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--emit", type=Path, metavar="PROGRAMS", help="convert the programs of this folder, no GPU")
    parser.add_argument("--binary", type=Path, default=ROOT / "build/release/nereid")
    parser.add_argument("--table", action="store_true", help="print the table of what was measured, no GPU")
    parser.add_argument("--seconds", type=float, default=560, help="how long to measure in this call")
    parser.add_argument("--least", type=float, default=30, help="nothing is begun with fewer seconds left")
    parser.add_argument("--preparing", type=float, default=200, help="how long a batch may compile")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that compile side by side")
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--default-mode", action="store_true", help="without max-autotune, whose compilation is longest")
    parser.add_argument("--child", metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.add_argument("--run", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.default_mode:
        del MODES["max-autotune"]
    if options.emit:
        folder.mkdir(parents=True, exist_ok=True)
        return 1 if emit(folder, options.emit, options.binary.resolve()) else 0
    if options.child:
        run_child(folder, options.child, options.run)
    if not options.table:
        measure_all(folder, options)
    print_table(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
