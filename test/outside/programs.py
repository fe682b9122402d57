# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program of test/programs/ at every stage, and its gradients, judged outside of nereid.

    programs.py BINARY [--only WORD] [--share K/N] [--forward] [--jobs N]

Converts each file with and without --backward and runs what was emitted under upstream Triton's interpreter against
PyTorch, as examples.py and gradients.py do, with inputs in float32 too where a program takes halves. What is expected of a program stands in comments at its start:

    # program: NAME          the one that is meant, where the file has several
    # no gradient: REASON    --backward is refused with this text
    # options: OPTIONS       of the conversion: --keep-torch sort
    # open proofs: forward   (or backward, or both) not all accesses are proved yet
    # only converted         PyTorch cannot judge it here
    # only forward           PyTorch has no gradient of an operator that it uses

Prints one line a failure; exits 1 on one.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import examples
import gradients
import halves
import shares
from parallel import judge_all

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Expected:
    """What the comments at the start of a program say."""

    def __init__(self, path):
        def find(key):
            found = re.search(rf"^# {key}: (.*)$", text, re.MULTILINE)
            return found[1].strip() if found else ""

        text = path.read_text()
        self.name = find("program")
        self.refusal = find("no gradient")
        self.open = find("open proofs").split()
        self.options = find("options").split()
        self.is_judged = "# only converted" not in text
        self.is_forward = "# only forward" in text


def convert(binary, path, expected, folder, backward, stage="all"):
    """What is wrong, and the report of the conversion; none where it is rightly refused."""
    source = str(path) + (f":{expected.name}" if expected.name else "")
    command = [binary, "convert", source, *expected.options, "--stage", stage, "-o", folder, "--json"]
    done = subprocess.run(command + ["--backward"] * backward, capture_output=True, text=True, cwd=ROOT)
    if backward and expected.refusal:
        right = done.returncode == 2 and expected.refusal in done.stderr
        return ([] if right else [f"not refused as expected: {done.stderr[:300]}"]), None
    if done.returncode != 0:
        return [f"exit {done.returncode}: {done.stderr.strip()[:400]}"], None
    report = json.loads(done.stdout)
    unproved = [
        f"stage {file['stage']}: {kernel['name']}: {kernel['proved']} of {kernel['accesses']} proved"
        for file in report["files"]
        for kernel in file["kernels"]
        if kernel["proved"] != kernel["accesses"]
    ]
    if ("backward" if backward else "forward") in expected.open:
        return ([] if unproved else ["all accesses are proved; take it off `open proofs`"]), report
    return unproved, report


def judge(job):
    way, files = job
    return (gradients if way == "backward" else examples).judge(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--forward", action="store_true", help="without gradients")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    paths = [path for path in sorted((ROOT / "test/programs").glob("*.py")) if options.only in path.stem]
    paths = shares.choose(paths, options.share)
    failures, jobs = 0, []
    with tempfile.TemporaryDirectory() as folder:
        paths = halves.add_wide(paths, folder)
        ways = ["forward"] if options.forward else ["forward", "backward"]

        def work(task):
            path, way = task
            return task, *convert(binary, path, Expected(path), f"{folder}/{path.stem}_{way}", way == "backward")

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            tasks = [(path, way) for path in paths for way in ways if way == "forward" or not Expected(path).is_forward]
            for (path, way), problems, report in pool.map(work, tasks):
                failures += len(problems)
                for problem in problems:
                    print(f"FAIL {path.stem} {way}: {problem}", flush=True)
                for file in report["files"] if report and Expected(path).is_judged else ():
                    job = (way, (file["path"], str(path), report["program"]))
                    jobs.append((f"{path.stem} {way}", file["stage"], job))
        wrong = judge_all(jobs, judge, options.jobs)
    failures += wrong
    print(f"programs: {len(jobs) - wrong} right, {failures} wrong; files of {len(paths)} programs")
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
