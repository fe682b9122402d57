"""Times emitted files on a GPU beside eager PyTorch and torch.compile, side by side in one process.

    bench/gpu/emit FOLDER            converts every program (needs build/release/nereid, no GPU)
    python bench/gpu_memory_bound.py FOLDER [--stage 1|2|3] [NAME...]

Prints a Markdown table: microseconds (median of event timings), the share of the copy bandwidth measured in the same
process (least possible bytes / time), and the speed against torch.compile. Each result is compared with float64 first.
"""

import argparse
import importlib.util
import math
import re
import statistics
import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parent / "gpu"))
import programs as suite  # noqa: E402

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "bool": torch.bool, "i64": torch.int64}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_inputs(spec, sizes):
    inputs = []
    for name, dtype, shape, below in re.findall(r"(\w+)=(\w+)\[([\w,]*)\](?:<(\d+))?", spec):
        extents = [int(sizes.get(size, size)) for size in shape.split(",") if size]
        if dtype == "i64":
            inputs.append(torch.randint(int(below), extents, device="cuda"))
        elif TYPES[dtype] == torch.bool:
            inputs.append(torch.rand(extents, device="cuda") > 0.5)
        else:
            inputs.append(torch.randn(extents, device="cuda", dtype=torch.float32).to(TYPES[dtype]))
    return inputs


def flatten(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def least_bytes(inputs, outputs):
    return sum(t.numel() * t.element_size() for t in [*inputs, *outputs])


def measure(function, inputs):
    return triton.testing.do_bench(lambda: function(*inputs), warmup=50, rep=200, return_mode="median") * 1e3


def error_ratio(result, eager, inputs, program):
    """The error against float64 over what is allowed: four times eager's, or two units in the last place."""
    wide = [t.double() if t.is_floating_point() else t for t in inputs]
    worst = 0.0
    for ours, theirs, exact in zip(flatten(result), flatten(eager), flatten(program(*wide))):
        if not ours.is_floating_point():
            # Integers are equal, but for rounding ties.
            apart = (ours.long() - theirs.long()).abs()
            worst = max(worst, 0.0 if apart.amax() <= 1 and (apart > 0).float().mean() < 1e-3 else math.inf)
            continue
        scale = exact.abs().clamp(min=torch.finfo(ours.dtype).tiny)
        allowed = torch.maximum(4 * (theirs.double() - exact).abs().amax(), 2 * torch.finfo(ours.dtype).eps * scale)
        worst = max(worst, ((ours.double() - exact).abs() / allowed).max().item())
    return worst


def copy_bandwidth():
    source = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / measure(target.copy_, [source])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stage", default="3")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}, ", end="")
    print(f"copy {bandwidth / 1e6:.2f} TB/s, stage {options.stage}\n")
    print("| program | nereid us | eager us | compile us | of copy | compile of copy | against compile | error/allowed |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    ratios, shares = [], []
    for name, (spec, sizes) in suite.PROGRAMS.items():
        if options.names and name not in options.names:
            continue
        program = getattr(suite, name)
        try:
            emitted = getattr(load(options.folder / f"{name}_stage{options.stage}.py"), name)
            inputs = make_inputs(spec, sizes)
            result, eager = emitted(*inputs), program(*inputs)
            error = error_ratio(result, eager, inputs, program)
            bytes_moved = least_bytes(inputs, flatten(result))
            del result, eager
            compiled = torch.compile(program)
            ours, plain, theirs = measure(emitted, inputs), measure(program, inputs), measure(compiled, inputs)
        except Exception as problem:  # the table shows what failed and goes on
            print(f"| {name} | failed: {type(problem).__name__}: {str(problem).splitlines()[0][:120]} |", flush=True)
            continue
        floor = bytes_moved / bandwidth
        ratios.append(theirs / ours)
        shares.append(floor / ours)
        print(f"| {name} | {ours:.0f} | {plain:.0f} | {theirs:.0f} | {floor / ours:.0%} | {floor / theirs:.0%} |", end="")
        print(f" {theirs / ours:.2f}x | {error:.2f} |", flush=True)
        torch.cuda.empty_cache()
    if ratios:

        def mean(values):
            return math.exp(statistics.fmean(map(math.log, values)))

        print(f"\nGeometric means over {len(ratios)}: {mean(shares):.0%} of copy, {mean(ratios):.2f}x torch.compile")


if __name__ == "__main__":
    main()
