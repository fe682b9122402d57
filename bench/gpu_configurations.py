# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well the first configuration of each emitted kernel does on a GPU, and what changing sizes and first calls cost.

    bench/gpu/emit FOLDER                                            (needs build/release/nereid, no GPU)
    python bench/gpu_configurations.py FOLDER/forward [NAME...]      each kernel's configurations, the first beside the best
    python bench/gpu_configurations.py FOLDER/forward --regret       ... beside the best of 50 others near them
    python bench/gpu_configurations.py FOLDER/backward --backward    ... of forward and backward, with --regret too
    python bench/gpu_configurations.py FOLDER/forward --sweep        50 sizes of the last axis: compilations and timings
    python bench/gpu_configurations.py FOLDER/forward --first-call   seconds of the first call in a process, cold caches

Prints a Markdown table. --sweep exits 1 when a kernel is compiled twice for one block, configuration and class of
alignment, when its configurations are timed twice for one block, or when a second walk compiles or times at all.
"""

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gpu_memory_bound as table
import torch
from triton.runtime.autotuner import Autotuner, Config
from triton.runtime.jit import JITFunction

SIZES = 50
CONFIGURATIONS = 50


def emitted(options, name):
    module = table.load(options.folder / f"{name}_stage{options.stage}.py")
    return module, getattr(module, name)


def tuned_kernels(module):
    launchers = (kernel for kernel in vars(module).values() if hasattr(kernel, "known"))
    return [kernel.fn for kernel in launchers if isinstance(kernel.fn, Autotuner)]


def spell(config):
    blocks = " ".join(f"{name}={value}" for name, value in config.kwargs.items())
    return f"{blocks} warps={config.num_warps}".strip()


def measured(options, names, widen=None):
    """Yields program, kernel, the kernel's own configurations and the microseconds of each that upstream's tuner timed.

    They are timed at the sizes of the table; with `widen`, those that it makes of a kernel are timed.
    """
    for name in names:
        prepared = table.prepare(name, options)
        if prepared is None:  # nothing has a gradient
            continue
        wrap, inputs, _ = prepared
        module, program = emitted(options, name)
        own = {kernel: kernel.configs for kernel in tuned_kernels(module)}
        for kernel in own if widen else ():
            kernel.configs, kernel.early_config_prune, kernel.cache_results = widen(kernel), None, False
        wrap(program)(*inputs)
        for kernel, configs in own.items():
            timings = getattr(kernel, "configs_timings", {})
            times = {config: timings[config][0] * 1e3 for config in kernel.configs if config in timings}
            if any(config in times for config in configs):
                yield name, kernel, configs, times
        del prepared, wrap, inputs
        torch.cuda.empty_cache()


def print_mean(shares, form):
    if shares:
        mean = math.exp(statistics.fmean(map(math.log, shares)))
        print(f"\nGeometric mean over {len(shares)} kernels: {form(mean)}")


def configurations(options, names):
    """Times every configuration as upstream's tuner does."""
    print("| program | kernel | first us | best us | first of best | best |\n|---|---|---|---|---|---|", flush=True)
    shares = []
    for name, kernel, (first, *_), times in measured(options, names):
        if first not in times:
            continue
        best = min(times, key=times.get)
        shares.append(times[best] / times[first])
        print(f"| {name} | {kernel.base_fn.__name__} | {times[first]:.1f} | {times[best]:.1f} |", end="")
        print(f" {shares[-1]:.3f} | {spell(best)} |", flush=True)
    print_mean(shares, "{:.3f}".format)
    return 0


def neighbours(kernel):
    """Up to 50 configurations: the kernel's own, and those whose blocks, warps and stages are nearest to its first."""
    own = kernel.configs
    blocks = {name: {config.kwargs[name] for config in own} for name in own[0].kwargs}
    ranges = [sorted({(value << k) >> 2 for value in values for k in range(5)}) for values in blocks.values()]
    first = [*own[0].kwargs.values(), own[0].num_warps, own[0].num_stages]

    def distance(point):
        return sum(abs(math.log2(a / b)) for a, b in zip(point[:-1], first)) + abs(point[-1] - first[-1]) / 2

    points = sorted(itertools.product(*ranges, (1, 2, 4, 8, 16, 32), (1, 2, 3, 4)), key=distance)
    spelled = {spell(config) + f" {config.num_stages}" for config in own}
    others = []
    for *values, warps, stages in points:
        config = Config(dict(zip(blocks, values)), num_warps=warps, num_stages=stages)
        if min(values, default=1) >= 1 and spell(config) + f" {stages}" not in spelled:
            others.append(config)
    return [*own, *others[: CONFIGURATIONS - len(own)]]


def regret(options, names):
    """How far the kernel's own configurations stay behind the best of 50."""
    print("| program | kernel | own best us | best us | regret | best |\n|---|---|---|---|---|---|", flush=True)
    shares = []
    for name, kernel, own, times in measured(options, names, widen=neighbours):
        mine, best = min(times[config] for config in own if config in times), min(times, key=times.get)
        shares.append(mine / times[best])
        print(f"| {name} | {kernel.base_fn.__name__} | {mine:.1f} | {times[best]:.1f} |", end="")
        print(f" {shares[-1] - 1:.1%} | {spell(best)} stages={best.num_stages} |", flush=True)
    print_mean(shares, lambda mean: f"{mean - 1:.1%}")
    return 0


class Counter:
    """Notes and times what upstream compiles, and the blocks for which it times configurations."""

    def __init__(self):
        self.take()
        compile, run = JITFunction._do_compile, Autotuner.run

        def note_compile(kernel, key, signature, device, constants, options, attributes, warmup):
            # Numbers that are 1 are constants too: with the multiples of 16 they are the class of alignment.
            known = sorted((kernel.arg_names[path[0]], repr(value)) for path, value in constants.items())
            aligned = sorted(kernel.arg_names[path[0]] for path, found in attributes.items() if found)
            start = time.perf_counter()
            result = compile(kernel, key, signature, device, constants, options, attributes, warmup)
            self.seconds += time.perf_counter() - start
            self.compiled.append((kernel.__name__, *known, options.num_warps, options.num_stages, *aligned))
            return result

        def note_run(tuner, *arguments, **options):
            # A key whose configurations were pruned to one is not timed.
            before = set(tuner.cache), getattr(tuner, "configs_timings", None)
            result = run(tuner, *arguments, **options)
            if before[1] is not getattr(tuner, "configs_timings", None):
                self.timed += [(tuner.base_fn.__name__, key) for key in set(tuner.cache) - before[0]]
            return result

        JITFunction._do_compile, Autotuner.run = note_compile, note_run

    def take(self):
        """What was noted since: compilations, blocks with times, and seconds of compiling."""
        found = (self.compiled, self.timed, self.seconds) if hasattr(self, "seconds") else None
        self.compiled, self.timed, self.seconds = [], [], 0.0
        return found


def walk(name, program, size, values):
    """Calls the program over the values of a size; how many it took."""
    spec, sizes = table.suite.PROGRAMS[name]
    calls = 0
    for value in values:
        try:
            program(*table.make_inputs(spec, {**sizes, size: value}))
            calls += 1
        except (RuntimeError, ValueError):
            continue  # sizes that the program does not take
    return calls


def sweep(options, names):
    counter = Counter()
    print("| program | size | calls | compiled | twice | blocks timed | twice | s compiling | again |", end="")
    print("\n|---|---|---|---|---|---|---|---|---|")
    failures = 0
    for name in names:
        sizes = table.suite.PROGRAMS[name][1]
        _, program = emitted(options, name)
        size = list(sizes)[-1]
        values = sorted({round(16 * (sizes[size] / 16) ** (k / (SIZES - 1))) for k in range(SIZES)})
        counter.take()
        calls = walk(name, program, size, values)
        compiled, timed, seconds = counter.take()
        walk(name, program, size, values)
        again, timed_again, _ = counter.take()
        twice = len(compiled) - len(set(compiled)), len(timed) - len(set(timed))
        failures += bool(again or timed_again or any(twice))
        print(f"| {name} | {size} | {calls} | {len(compiled)} | {twice[0]} | {len(timed)} | {twice[1]} |", end="")
        print(f" {seconds:.1f} | {len(again)} compiled, {len(timed_again)} timed |", flush=True)
        torch.cuda.empty_cache()
    print(f"\n{failures} failures")
    return 1 if failures else 0


def call_once(options, name, how):
    """The seconds of the first call; in a process of its own."""
    spec, sizes = table.suite.PROGRAMS[name]
    inputs = table.make_inputs(spec, sizes)
    torch.cuda.synchronize()
    start = time.perf_counter()
    program = torch.compile(getattr(table.suite, name)) if how == "torch.compile" else emitted(options, name)[1]
    program(*inputs)
    torch.cuda.synchronize()
    print(json.dumps(time.perf_counter() - start))
    return 0


def first_calls(options, names):
    ways = {"first": "first", "tuned": "", "tuned, next process": "", "torch.compile": ""}
    print("| program |", *(f" {way} s |" for way in ways), "\n|---|" + "---|" * len(ways), sep="", flush=True)
    columns = {way: [] for way in ways}
    for name in names:
        print(f"| {name} |", end="")
        with tempfile.TemporaryDirectory() as folder:
            for way, config in ways.items():
                caches = Path(folder) / way.split(",")[0]
                environment = {"TRITON_CACHE_DIR": caches / "triton", "TORCHINDUCTOR_CACHE_DIR": caches / "inductor"}
                environment = {**os.environ, **{key: str(path) for key, path in environment.items()}}
                command = [sys.executable, __file__, str(options.folder), "--stage", options.stage, "--once", way, name]
                done = subprocess.run(
                    command, env={**environment, "NEREID_CONFIG": config}, capture_output=True, text=True
                )
                seconds = json.loads(done.stdout) if done.returncode == 0 else math.nan
                columns[way].append(seconds)
                print(f" {seconds:.2f} |", end="", flush=True)
        print()
    medians = (f"{way} {statistics.median(values):.2f} s" for way, values in columns.items())
    print("\nMedians:", ", ".join(medians))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stage", default="3")
    parser.add_argument("--backward", action="store_true", help="forward and backward together")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--regret", action="store_true")
    parser.add_argument("--first-call", action="store_true")
    parser.add_argument("--once", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    names = [
        name
        for name in options.names or table.suite.PROGRAMS
        if (options.folder / f"{name}_stage{options.stage}.py").exists()
    ]
    if options.once:
        return call_once(options, names[0], options.once)
    if options.first_call:
        return first_calls(options, names)
    if options.regret:
        return regret(options, names)
    return sweep(options, names) if options.sweep else configurations(options, names)


if __name__ == "__main__":
    sys.exit(main())
