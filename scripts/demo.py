#!/usr/bin/env python3
"""Converts the three demonstration programs, shows one kernel, judges them inside and outside and prints one table."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEREID = ROOT / "build/release/nereid"
PROGRAMS = ["softmax", "rms_norm", "feed_forward_gate"]


def call(command):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def upstream(emitted, original, name):
    """Whether upstream's interpreter agrees with PyTorch, and what it printed."""
    status, output, errors = call([sys.executable, "test/outside/run_interpreter.py", emitted, original, name, "--from-file"])
    return status == 0, output + errors


def show(path):
    """The first kernel of a file, with its decorators."""
    text = Path(path).read_text()
    start = text.index("@triton.")
    end = re.compile(r"\n\n\n").search(text, start).start()
    print(f"\n--- {os.path.relpath(path, ROOT) if str(path).startswith(str(ROOT)) else path}\n\n{text[start:end]}\n")


def main():
    rows, failures = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            source = f"examples/{program}.py"
            print(f"==> {source}", file=sys.stderr, flush=True)
            status, output, errors = call([NEREID, "convert", source, "--stage", "all", "-o", folder, "--json"])
            if status != 0:
                print(errors, file=sys.stderr)
                return 1
            converted = json.loads(output)
            status, output, errors = call([NEREID, "validate", source, "--json"])
            stages = {row["stage"]: row for row in json.loads(output)["stages"]} if output else {}
            for file in converted["files"]:
                agrees, log = upstream(file["path"], source, converted["program"])
                valid = stages.get(file["stage"], {})
                accesses = sum(kernel["accesses"] for kernel in file["kernels"])
                proved = sum(kernel["proved"] for kernel in file["kernels"])
                good = agrees and valid.get("failed", 1) == 0 and accesses == proved
                failures += not good
                if not good:
                    print(log, errors, file=sys.stderr)
                rows.append(
                    [
                        program,
                        file["stage"],
                        file["launches"],
                        f"{file['launched_bytes_at'] / file['least_bytes_at']:.2f}x",
                        f"{((valid.get('worst') or {}).get('ratio') or 0):.2f}",
                        f"{proved} of {accesses}",
                        "valid" if good else "NOT VALID",
                    ]
                )
        show(Path(folder) / "softmax_stage2.py")
    head = ["program", "stage", "kernels", "bytes/least", "error/allowed", "proved", "verdict"]
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(
        "\nerror/allowed: against float64, over the matrix of `nereid validate`. Each emitted file also ran\n"
        "under Triton's own interpreter and was compared with PyTorch."
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
