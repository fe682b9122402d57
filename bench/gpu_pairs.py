# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same programs as several builds of nereid convert them, side by side on one GPU.

    bench/gpu_pairs.py --emit FOLDER BINARY... [--only WORD] [--share K/N]    no GPU: test/programs, one folder a binary
    python bench/gpu_pairs.py FOLDER                                          times them, first configurations

Each program runs at the sizes for which the last binary chose its kernels (`planned` of `convert --json`), its first one
grown until the largest input has ELEMENTS; forward alone, and forward and backward; all kernels of a call stand ready
before the first one starts, so that the host's time does not count. Prints a line a program, microseconds and how many
times faster each build is than the first, and the geometric means. What has the same kernels is left out.
"""

import argparse
import ast
import concurrent.futures
import inspect
import json
import math
import os
import runpy
import statistics
import subprocess
import sys
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ELEMENTS = 1 << 24


def kernels(file):
    """The text of the kernels of an emitted file."""
    functions = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
    return tuple(
        ast.unparse(node) for node in functions if any("triton.jit" in ast.unparse(d) for d in node.decorator_list)
    )


def emit(folder, binaries, only, share):
    """Writes FOLDER/0, FOLDER/1, ... and FOLDER/programs.json; returns how many programs differ."""
    first, step = map(int, share.split("/"))
    paths = [path for path in sorted((ROOT / "test/programs").glob("*.py")) if only in path.stem][first::step]
    programs = {}
    for path in paths:
        found = []
        for number, binary in enumerate(binaries):
            command = [binary, "convert", str(path.relative_to(ROOT)), "--backward", "--stage", "3", "--json", "--standalone"]
            command += ["-o", str(folder / str(number) / path.stem)]
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
            found += [json.loads(done.stdout)] if done.returncode == 0 else []
        if len(found) < len(binaries) or "planned" not in found[-1]:
            continue
        files = [Path(one["files"][0]["path"]) for one in found]
        if len(files) == 1 or len({kernels(file) for file in files}) > 1:
            sizes = dict(pair.split("=") for pair in found[-1]["planned"].split(", "))
            programs[path.stem] = {
                "files": [str(file.relative_to(folder)) for file in files],
                "source": str(path.relative_to(ROOT)),
                "sizes": {name: int(size) for name, size in sizes.items()},
                "kernels": {kernel["name"]: kernel for file in found[-1]["files"] for kernel in file["kernels"]},
            }
    (folder / "programs.json").write_text(json.dumps(programs, indent=1))
    return len(programs)


def prepare(folder, program, number, elements):
    """The emitted program and its inputs, of at least so many elements if sizes can grow."""
    import torch
    import torch.utils._pytree as pytree

    torch.manual_seed(0)
    emitted, last = (runpy.run_path(str(folder / program["files"][each])) for each in (number, -1))
    make, build = last["_maker"]("cuda"), last["_inputs"]
    names = list(inspect.signature(build).parameters)[1:]
    sizes = {name: size for name, size in program["sizes"].items() if name in names}
    last["_FILE"] = types.SimpleNamespace(**emitted)
    for record in emitted["_RECORDS"]:
        emitted["_register"](emitted[record])

    def count(inputs):
        return max((x.numel() for x in pytree.tree_leaves(inputs) if isinstance(x, torch.Tensor)), default=0)

    function = emitted[emitted["_NAME"]]
    if isinstance(function, type):
        path = ROOT / program["source"]
        sys.path.insert(0, str(path.parent))
        source = runpy.run_path(str(path))
        init, named = emitted["_init"](source)
        function = function(*init, **named).cuda()
    inputs = build(make, **sizes)
    while sizes and 0 < count(inputs) < elements:
        before = count(inputs)
        sizes[next(iter(sizes))] *= 2
        inputs = build(make, **sizes)
        if count(inputs) == before:
            break
    return function, inputs


def runs(folder, program, number, elements=ELEMENTS):
    """Functions to time: forward, and forward and backward."""
    import torch
    import torch.utils._pytree as pytree

    function, inputs = prepare(folder, program, number, elements)
    kept = list(function.parameters()) if isinstance(function, torch.nn.Module) else []
    wide = [x for x in pytree.tree_leaves(inputs) if isinstance(x, torch.Tensor) and x.is_floating_point()]

    def forward():
        with torch.no_grad():
            return function(**inputs)

    yield "forward", forward
    leaves = [x.requires_grad_() for x in wide] + kept

    def run():
        return [x for x in pytree.tree_leaves(function(**inputs)) if isinstance(x, torch.Tensor) and x.grad_fn]

    cotangents = [torch.ones_like(x) for x in run()]
    if cotangents:
        yield "backward", lambda: torch.autograd.grad(run(), leaves, cotangents, allow_unused=True)


def warm(folder, name, seconds):
    """Compiles a program of every build in a process of its own; what is wrong with it, if anything."""
    command = [sys.executable, __file__, str(folder), "--warm", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"longer than {seconds} s"
    return done.stderr.strip().split("\n")[-1][:300] if done.returncode else None


def run_once(folder, program):
    import torch

    for number in range(len(program["files"])):
        for way, run in runs(folder, program, number):
            run()
            torch.cuda.synchronize()
            start = time.time()
            run()
            torch.cuda.synchronize()
            if time.time() - start > 0.5:
                sys.exit(f"{way} of build {number} takes {time.time() - start:.1f} s")


def kernel_times(run):
    """Microseconds by kernel name, medians of 5 calls each."""
    import torch

    run()
    cache, times = torch.empty(1 << 26, device="cuda"), {}
    for _ in range(5):
        cache.zero_()
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            run()
            torch.cuda.synchronize()
        for event in profile.events():
            times.setdefault(event.name, []).append(event.device_time)
    return {name: statistics.median(each) for name, each in times.items()}


def compile_all(folder, seconds):
    """The programs that run, compiled."""
    programs = json.loads((folder / "programs.json").read_text())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, problem in zip(list(programs), pool.map(lambda name: warm(folder, name, seconds), list(programs))):
            if problem:
                print(f"{name}: {problem}", flush=True)
                del programs[name]
    return programs


def write_kernel_times(folder, file, seconds):
    """The time of every kernel of the last build, at the sizes for which it was chosen."""
    found = {}
    for name, program in compile_all(folder, seconds).items():
        found[name] = {way: kernel_times(run) for way, run in runs(folder, program, -1, elements=0)}
        file.write_text(json.dumps(found, indent=1))


def measure(folder, seconds):
    import torch
    from gpu_memory_bound import measure_device

    programs, shares = compile_all(folder, seconds), {}
    for name, program in programs.items():
        times = {}
        for number in range(len(program["files"])):
            for way, run in runs(folder, program, number):
                times.setdefault(way, []).append(measure_device(run, ()))
            torch.cuda.empty_cache()
        for way, each in times.items():
            faster = [each[0] / one for one in each[1:]]
            shares.setdefault(way, []).append(faster)
            row = " ".join(f"{one:9.1f}" for one in each)
            print(f"{name:32}{way:9}{row}  " + " ".join(f"{one:5.2f}x" for one in faster), flush=True)
    for way, rows in shares.items():
        means = [math.exp(sum(map(math.log, column)) / len(rows)) for column in zip(*rows)]
        print(f"{way}: {len(rows)} programs, " + ", ".join(f"{mean:.3f}x" for mean in means))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("binaries", nargs="*")
    parser.add_argument("--emit", action="store_true")
    parser.add_argument("--kernels", type=Path, metavar="FILE", help="write the time of each kernel of the last build")
    parser.add_argument("--warm", metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=60, help="to compile and run a program once")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help="K/N: every Nth program, from the Kth")
    options = parser.parse_args()
    if options.emit:
        folder = options.folder.resolve()
        print(emit(folder, options.binaries, options.only, options.share), "programs differ")
        return
    os.environ["NEREID_CONFIG"] = "first"
    if options.warm:
        run_once(options.folder, json.loads((options.folder / "programs.json").read_text())[options.warm])
        sys.stdout.flush()
        os._exit(0)  # autograd's threads may outlive CUDA
    elif options.kernels:
        write_kernel_times(options.folder.resolve(), options.kernels, options.seconds)
    else:
        measure(options.folder.resolve(), options.seconds)


if __name__ == "__main__":
    main()
