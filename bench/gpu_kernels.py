#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each kernel of each program takes on one GPU, without the host: where the time goes.

    bench/gpu_table.py FOLDER --emit PROGRAMS        no GPU: converts bench/survey, say, at stage 3 into FOLDER
    NEREID_CONFIG=first bench/gpu_kernels.py FOLDER [PROGRAM ...]

Prints for each program and way (forward; forward and backward) the sum of its kernels' times by the profiler, the share
of the bandwidth of a copy by the least possible bytes, and its kernels, the longest first. Then the geometric means of
the shares, 100 % at most a program.
"""

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gpu_memory_bound import copy_bandwidth  # noqa: E402
from timed_programs import ROOT, Program  # noqa: E402

CALLS = 3


def measure(call):
    """Microseconds and launches a call, by kernel."""
    for _ in range(CALLS):
        call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        for _ in range(CALLS):
            call()
        torch.cuda.synchronize()
    times = defaultdict(list)
    for event in profiled.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            times[event.name].append(event.time_range.elapsed_us())
    return {name: (sum(each) / CALLS, len(each) / CALLS) for name, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("programs", nargs="*", help="all where none is named")
    parser.add_argument("--most", type=int, default=8, help="how many kernels of each are shown")
    options = parser.parse_args()
    folder, bandwidth, shares = options.folder.resolve(), copy_bandwidth(), defaultdict(list)
    print(f"{torch.cuda.get_device_name()}, a copy at {bandwidth / 1e6:.2f} TB/s")
    for name, entry in json.loads((folder / "programs.json").read_text()).items():
        for way, file in entry["files"].items() if name in options.programs or not options.programs else ():
            program = Program(ROOT / entry["source"], way)
            function = program.bind(program.load_emitted(folder / file))
            times = measure(lambda function=function, program=program: function(*program.inputs))
            total = sum(time for time, _ in times.values())
            shares[way].append(min(1.0, program.get_least_bytes() / bandwidth / total))
            print(f"{name} {way}: {total:.0f} us, {shares[way][-1]:.0%} of copy", flush=True)
            for kernel, (time, launches) in sorted(times.items(), key=lambda item: -item[1][0])[: options.most]:
                print(f"    {time:9.1f} us {launches:5.1f}x {kernel[:90]}")
            del program, function
            torch.cuda.empty_cache()
    for way, found in shares.items():
        mean = math.exp(statistics.fmean(map(math.log, found)))
        print(f"{way}: {len(found)} programs, {mean:.1%} of copy in the geometric mean")
    return 0


if __name__ == "__main__":
    sys.exit(main())
