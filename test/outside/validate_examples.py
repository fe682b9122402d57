# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid validate` says of every example, at every stage, that it is valid.

    validate_examples.py BINARY [--largest N] [--only WORD] [--share K/N] [--jobs N]

Prints what is said of a program that is not valid, and the counts; exits 1 when there is one.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path

import shares

ROOT = Path(__file__).resolve().parents[2]


def validate(job):
    binary, example, largest = job
    command = [binary, "validate", str(example), *(["--largest", str(largest)] if largest else [])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return example.stem, done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--largest", type=int, help="only cases of at most so many elements")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    examples = [path for path in sorted((ROOT / "examples").glob("*.py")) if options.only in path.stem]
    examples = shares.choose(examples, options.share)
    failures = 0
    jobs = [(options.binary, example, options.largest) for example in examples]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, status, said in pool.map(validate, jobs):
            if status:
                failures += 1
                print(f"FAIL {name} (status {status}): {said.strip()}", flush=True)
    print(f"validate: {len(examples) - failures} right, {failures} wrong")
    return 1 if failures or not examples else 0


if __name__ == "__main__":
    sys.exit(main())
