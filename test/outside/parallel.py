# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges many emitted files at once, each in a process of the pool."""

import concurrent.futures


def judge_all(jobs, judge, workers):
    """Calls judge(job) for each (name, stage, job) and prints what it says is wrong; the number of failures."""
    failures = 0
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        futures = {pool.submit(judge, job): (name, stage) for name, stage, job in jobs}
        for future in concurrent.futures.as_completed(futures):
            name, stage = futures[future]
            try:
                problem = future.result()
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            if problem:
                failures += 1
                print(f"FAIL {name} stage {stage}: {problem[:600]}", flush=True)
    return failures
