# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many wrong results the judge of random programs notices: those of PyTorch itself, scaled.

    noticed.py [--count N] [--seed S] [--jobs N]

Writes N programs of each element type (random_text.py) and judges, as random_judge.py does, their own results and
gradients as they are, and with each in turn made larger by 5 %, or by 1.2x. Programs in halves are judged in float32
too, and what is noticed there is noticed. Exits 1 where a right result is called wrong, or fewer are noticed than
LEAST says.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import sys
import warnings

DTYPES = ("f32", "f16", "bf16")
FACTORS = (1.05, 1.2)
#: The share of the scaled results that is noticed at least, by element type and factor: as written, and with float32.
LEAST = {
    ("f32", 1.05): (0.97, 0.97),
    ("f32", 1.2): (0.97, 0.97),
    ("f16", 1.05): (0.93, 0.97),
    ("f16", 1.2): (0.93, 0.97),
    ("bf16", 1.05): (0.75, 0.97),
    ("bf16", 1.2): (0.85, 0.97),
}


def judge(program):
    """Whether PyTorch's own results are called wrong, and by result and factor whether it is noticed that it is scaled."""
    import torch

    import random_judge
    import random_text

    space = {}
    exec(program.text(), space)
    reference = random_judge.Reference(space["f"], program, dict(random_text.SYMBOLS), set(), 0)
    noticed = {}
    for name, value in reference.own.items():
        # Scaled zeros, infinities and NaN are the same.
        if value is None or not value.is_floating_point() or not bool((value.isfinite() & (value != 0)).any()):
            continue
        for factor in FACTORS:
            changed = reference.own | {name: (value.double() * factor).to(value.dtype)}
            if not torch.equal(changed[name].nan_to_num(), value.nan_to_num()):
                noticed[name, factor] = bool(reference.judge_results(changed))
    return reference.judge_results(dict(reference.own)), noticed


def work(job):
    import torch

    import random_judge
    import random_text

    dtype, seed = job
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    program = random_text.write(random.Random(seed), dtype)
    false, noticed = judge(program)
    wide = random_judge.in_float32(program)
    in_float32 = judge(wide)[1] if wide else {}
    return dtype, seed, false, {key: (found, found or in_float32.get(key, False)) for key, found in noticed.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    counts, totals, wrong = collections.Counter(), collections.Counter(), 0
    jobs = [(dtype, seed) for dtype in DTYPES for seed in range(options.seed, options.seed + options.count)]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for dtype, seed, false, noticed in pool.map(work, jobs):
            if false:
                wrong += 1
                print(f"FAIL {dtype} seed {seed}: PyTorch's own results are called wrong: {false}")
            for (_, factor), (as_written, with_float32) in noticed.items():
                totals[dtype, factor] += 1
                counts[dtype, factor, 0] += as_written
                counts[dtype, factor, 1] += with_float32
    for (dtype, factor), total in totals.items():
        shares = [counts[dtype, factor, way] / total for way in (0, 1)]
        print(f"{dtype} x {factor}: of {total} results {shares[0]:.1%} noticed, with float32 {shares[1]:.1%}")
        for share, least in zip(shares, LEAST[dtype, factor], strict=True):
            if share < least:
                wrong += 1
                print(f"FAIL {dtype} x {factor}: {share:.1%} are noticed, not {least:.0%}")
    right = sum(counts[dtype, factor, 1] for dtype, factor in totals)
    print(f"noticed: {right} right, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
