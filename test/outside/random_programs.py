# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with gradients at every stage, judged outside of nereid.

    random_programs.py BINARY [--count N] [--seed S] [--jobs N] [--show] [--debug] [--products]

Writes programs (random_text.py), converts each with --backward at every stage, and at stage 3 for other typical sizes,
demands that every access is proved, and runs what was emitted under upstream Triton's interpreter at several sizes,
with contiguous and other inputs, with its own blocks and with small ones, against PyTorch in float64. A program that
fails is made smaller and printed with its seed; REFUSALS says what may be refused. With --debug kernels check the
indices that they are given, all of which are right: an alarm is a failure. With --products every program has a product
(random_products.py). Exits 1 on a failure.
"""

import argparse
import collections
import concurrent.futures
import math
import os
import random
import sys
import tempfile
import time
from pathlib import Path

# What is written here is meant to be supported. Of the programs, at most so many may be refused for these reasons, and
# for any other none; of so many may an access be unproved: of 520 one was, which is proved since.
REFUSALS = {}
OPEN_PROOFS = 0.02
#: Of the programs, at most so many may be refused at sizes that PyTorch takes and conversion does not name: slices and
#: diagonals of what is shorter than they are (docs/limits.md).
NARROW = 0.06
#: Of the runs, at most so many may take too long under the interpreter; of products more do.
LATE, LATE_PRODUCTS = 0.02, 0.05


def work(job):
    """The verdict on a seed, the program that it is about, and its text made smaller."""
    import torch

    import alarms
    import random_judge
    import random_text
    import shrinking

    binary, seed, shrinks, checks_indices, products = job
    torch.set_num_threads(1)
    chance = random.Random(seed)
    program = random_text.write(chance, products=products)
    ways, runs = random_judge.plan(chance, program, products)
    if checks_indices:
        alarms.hear_assertions()
        for way in ways:
            way.checks_indices = True

    def judge(candidate):
        with tempfile.TemporaryDirectory() as folder:
            return random_judge.judge(binary, candidate, ways, runs, folder)

    verdict = judge(program)
    if verdict.is_failure() and verdict.kind != "narrow" and shrinks:
        program, verdict = shrinking.shrink(program, verdict, judge, shrinks)
    return seed, verdict, f"{program.spec()}\n{program.text()[len(random_text.HEADER) :]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--shrink", type=int, default=120, metavar="SECONDS", help="0: print the program as it is")
    parser.add_argument("--debug", action="store_true", help="convert with --debug")
    parser.add_argument("--products", action="store_true", help="write programs that have products")
    parser.add_argument("--show", action="store_true", help="print refusals with their programs")
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    kinds, refusals, start = collections.Counter(), collections.Counter(), time.time()
    late = runs = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.count)
        asked = (options.shrink, options.debug, options.products)
        jobs = [pool.submit(work, (binary, seed, *asked)) for seed in seeds]
        for job in concurrent.futures.as_completed(jobs):
            seed, verdict, text = job.result()
            kinds[verdict.kind or "right"] += 1
            late, runs = late + verdict.late, runs + verdict.runs
            if verdict.kind == "refused":
                refusals[verdict.detail.split("\n")[0].split(": ", 1)[-1][:120]] += 1
            if options.show and sum(kinds.values()) % 20 == 0:
                print(f"{sum(kinds.values())} programs, {time.time() - start:.0f} s, {dict(kinds)}", flush=True)
            if verdict.is_failure() or (options.show and verdict.kind == "refused"):
                sign = "" if verdict.kind == "narrow" else "FAIL "
                print(f"{sign}seed {seed}: {verdict.kind}: {verdict.detail}\n{text}", flush=True)
    for reason, count in refusals.most_common():
        print(f"refused {count}: {reason}")
    failures = options.count - kinds["right"] - kinds["refused"] - kinds["unproved"] - kinds["narrow"]
    for reason, count in refusals.items():
        share = next((share for text, share in REFUSALS.items() if text in reason), 0)
        if count > math.ceil(share * options.count):
            print(f"FAIL {count} programs are refused: {reason}")
            failures += count
    if kinds["unproved"] > max(1, OPEN_PROOFS * options.count):
        print(f"FAIL more than {OPEN_PROOFS:.0%} of the programs have an access that is not proved")
        failures += 1
    if kinds["narrow"] > max(2, NARROW * options.count):
        print(f"FAIL more than {NARROW:.0%} of the programs are refused at sizes that conversion does not name")
        failures += 1
    most_late = LATE_PRODUCTS if options.products else LATE
    if late > max(1, most_late * runs):
        print(f"FAIL more than {most_late:.0%} of the runs are given up: {late} of {runs}")
        failures += 1
    rest = f"{kinds['refused']} refused, {kinds['unproved']} not proved, {kinds['narrow']} narrow; {time.time() - start:.0f} s"
    print(f"random programs: {kinds['right']} right, {failures} wrong, {rest}, {late} of {runs} runs given up")
    return 1 if failures or not kinds["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
