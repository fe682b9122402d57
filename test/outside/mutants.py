#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in emitted kernels, one at a time: do our judges notice them?

    mutants.py BINARY [--only WORD] [--each 20] [--share K/N | --rotate N] [--seed 1] [--jobs 1] [--show]

Converts the programs of mutant_programs.py and makes mutants of what is emitted (kernel_mutations.py). Each is judged by
upstream's interpreter against PyTorch in float64, with memory checked and fresh memory full of NaN, and by ours in its
checked mode, on launches that the file itself makes (mutant_judge.py). What neither notices is equivalent where that
is proved (the same tile IR; an `other` that no lane uses), shown (padding that changes no bit of what is stored, whatever
number it holds), or stands in mutants.txt with a reason; else it is missed.

Prints the figure, and what is missed; exits 1 where more than one mutant, and more than 2 % of those that are not
equivalent, are missed, or where the file as it is fails: a case of a settled program, a fifth of another's. --rotate N
takes N settled programs, others with each commit. --show prints what noticed each.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mutant_programs import PROGRAMS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEAST = 0.98


def read_table(path=HERE / "mutants.txt"):
    """(pattern, reason) of the mutants that are equivalent; patterns as of file names, of `program | identity`."""
    entries, pattern = [], ""
    for line in path.read_text().splitlines():
        if line.startswith("    "):
            entries.append((pattern, line.strip()))
        elif line.strip() and not line.startswith("#"):
            pattern = line.strip()
    return entries


def matches(pattern, text):
    """Stars stand for anything; brackets for themselves."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def judge(task):
    """What becomes of each mutant of a program: (identity, verdict, why). In a process of its own."""
    binary, number, each, seed = task
    import mutant_judge as judging  # sets up upstream's interpreter

    import torch

    import kernel_mutations

    torch.set_num_threads(1)
    start = time.process_time()
    program, table = PROGRAMS[number], read_table()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        judge = judging.Judge(binary, ROOT, program, folder)
        faults = kernel_mutations.choose(kernel_mutations.find(judge.text), each, seed)
        for fault in faults if judge.cases else ():
            identity = f"{program.name()} | {fault.identity()}"
            found.append((identity, *decide(judge, fault, identity, table)))
        missing = kernel_mutations.find_unlaunched(judge.text)
        return found, len(judge.cases), judge.left_out, missing, time.process_time() - start


def decide(judge, fault, identity, table):
    why = judge.judge_upstream(fault)
    if why:
        return "upstream", why
    why = judge.judge_ours(fault)
    if why:
        return "ours", why
    how, why = judge.prove(fault)
    if how:
        return how, why
    listed = next((reason for pattern, reason in table if matches(pattern, identity)), "")
    return ("listed", listed) if listed else ("missed", "")


def pick(options):
    """The numbers of the programs to judge."""
    numbers = [n for n, program in enumerate(PROGRAMS) if options.only in program.name()]
    if options.rotate:
        count = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, cwd=ROOT)
        turn = int(count.stdout or 0) * options.rotate
        numbers = [n for n in numbers if PROGRAMS[n].is_settled]
        return [numbers[(turn + place) % len(numbers)] for place in range(min(options.rotate, len(numbers)))]
    first, step = map(int, options.share.split("/"))
    return numbers[first::step]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--each", type=int, default=20, help="mutants of a program")
    parser.add_argument("--share", default="0/1", help="K/N: every Nth program, from the Kth")
    parser.add_argument("--rotate", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    tasks = [(binary, number, options.each, options.seed) for number in pick(options)]
    verdicts, missed, failed = collections.Counter(), [], 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        for task, future in [(task, pool.submit(judge, task)) for task in tasks]:
            found, cases, left_out, missing, seconds = future.result()
            name = PROGRAMS[task[1]].name()
            print(f"{name}: {len(found)} mutants, {cases} cases, {len(left_out)} left out, {seconds:.0f} s", flush=True)
            # A case that the file itself fails: none of a settled program, a fifth of the others at most.
            failed += len(left_out) > (0 if PROGRAMS[task[1]].is_settled else cases // 4)
            failed += len(missing)
            for line in missing:
                print(f"  no fault is made: {line}")
            for line in left_out:
                print(f"  left out: {line[:300]}")
            for identity, verdict, why in found:
                verdicts[verdict] += 1
                missed += [identity] * (verdict == "missed")
                if options.show or verdict == "missed":
                    print(f"  {verdict}: {identity}" + f"\n      {why[:300]}" * bool(why), flush=True)
    return conclude(verdicts, missed, failed)


def conclude(verdicts, missed, failed):
    noticed = verdicts["upstream"] + verdicts["ours"]
    counted, equivalent = noticed + len(missed), sum(verdicts[how] for how in ("proved", "shown", "listed"))
    for identity in missed:
        print(f"MISSED {identity}")
    share = noticed / counted if counted else 0.0
    print(
        f"{counted + equivalent} mutants, {equivalent} equivalent ({verdicts['proved']} proved, {verdicts['shown']} shown, {verdicts['listed']} listed), "
        f"{noticed} noticed ({verdicts['ours']} by our interpreter alone), {len(missed)} missed: {100 * share:.1f} % of the others"
    )
    # Of a few programs one mutant is more than the share.
    is_failure = failed or not counted or (share < LEAST and len(missed) > 1)
    print(f"mutants: {noticed} right, {max(len(missed), failed) if is_failure else 0} wrong")
    return 1 if is_failure else 0


if __name__ == "__main__":
    sys.exit(main())
