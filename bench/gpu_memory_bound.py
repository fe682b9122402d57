"""Times emitted files on a GPU beside eager PyTorch and torch.compile, side by side in one process.

    bench/gpu/emit FOLDER            converts every program, with and without gradients (needs build/release/nereid, no GPU)
    python bench/gpu_memory_bound.py FOLDER [--stage 1|2|3] [--backward] [--max-autotune] [--first] [--device-time]
                                     [--json FILE] [NAME...]

Prints a Markdown table: microseconds (median of event timings), the share of the copy bandwidth measured in the same
process (least possible bytes / time), and the speed against torch.compile. Each result is compared with float64 first.
--first times the file with NEREID_CONFIG=first too, beside the tuned one (third of a second a program).
With --backward a call is forward and backward. The least bytes of a backward pass are those of the gradients that come
in, of the gradients that go out, and of the inputs on which a gradient depends (found by changing each).
With --device-time a call's work is queued behind a wait, so that the host's time does not count.
"""

import argparse
import importlib.util
import json
import math
import os
import re
import statistics
import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parent / "gpu"))
import programs as suite  # noqa: E402

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_first(path):
    """The file with the preferred configurations alone."""
    before = os.environ.get("NEREID_CONFIG")
    os.environ["NEREID_CONFIG"] = "first"
    try:
        return load(path)
    finally:
        os.environ.pop("NEREID_CONFIG")
        if before is not None:
            os.environ["NEREID_CONFIG"] = before


def make_inputs(spec, sizes):
    inputs = []
    for name, dtype, shape, below in re.findall(r"(\w+)=(\w+)\[([\w,*]*)\](?:<(\d+))?", spec):
        extents = [
            math.prod(int(sizes.get(part, part)) for part in size.split("*")) for size in shape.split(",") if size
        ]
        if dtype == "i64":
            inputs.append(torch.randint(int(below), extents, device="cuda"))
        elif dtype == "i8":
            inputs.append(torch.randint(-128, 128, extents, device="cuda", dtype=torch.int8))
        elif dtype == "bool":
            inputs.append(torch.rand(extents, device="cuda") > 0.5)
        elif name in suite.PROBABILITIES:
            inputs.append(torch.rand(extents, device="cuda").to(TYPES[dtype]))
        else:
            inputs.append(torch.randn(extents, device="cuda", dtype=torch.float32).to(TYPES[dtype]))
    return inputs


def flatten(result):
    return [t for t in (result if isinstance(result, (tuple, list)) else [result]) if t is not None]


def outcome(function, inputs):
    """The results, and the inputs that the call writes to; nothing is written to for a program with gradients."""
    if any(t.requires_grad for t in inputs):
        return flatten(function(*inputs))
    inputs = [t.clone() for t in inputs]
    versions = [t._version for t in inputs]
    results = flatten(function(*inputs))
    return results + [t for t, version in zip(inputs, versions) if t._version != version]


def size_in_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def with_gradients(function, leaves, seeds):
    """`function` and its gradients in one call: the results' gradients are `seeds`, by position of the result."""

    def run(*inputs):
        results = flatten(function(*inputs))
        roots = [results[i] for i in seeds]
        return torch.autograd.grad(roots, [inputs[i] for i in leaves], list(seeds.values()))

    return run


def read_again(run, inputs, leaves):
    """The inputs on which a gradient depends."""
    before = run(*inputs)
    needed = []
    for i, old in enumerate(inputs):
        new = old.detach().flip(-1) if old.dim() else old.detach() + 1
        changed = [*inputs[:i], new.requires_grad_(old.requires_grad), *inputs[i + 1 :]]
        if any(not torch.equal(a, b) for a, b in zip(before, run(*changed))):
            needed.append(old)
    return needed


def measure_calls(function, inputs):
    return triton.testing.do_bench(lambda: function(*inputs), warmup=25, rep=100, return_mode="median") * 1e3


def measure_device(function, inputs):
    """The same without the host: the kernels of a call stand ready before the first one starts."""
    for _ in range(3):
        function(*inputs)
    cache, times = torch.empty(1 << 26, device="cuda"), []
    for _ in range(9):
        torch.cuda.synchronize()
        cache.zero_()
        torch.cuda._sleep(12_000_000)
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        function(*inputs)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times) * 1e3


def error_ratio(result, eager, exact):
    """The error against float64 over what is allowed: four times eager's, or two units in the last place."""
    worst = 0.0
    for ours, theirs, true in zip(flatten(result), flatten(eager), flatten(exact)):
        if not ours.is_floating_point():
            # Integers are equal, but for rounding ties.
            apart = (ours.long() - theirs.long()).abs()
            worst = max(worst, 0.0 if apart.amax() <= 1 and (apart > 0).float().mean() < 1e-3 else math.inf)
            continue
        scale = true.abs().clamp(min=torch.finfo(ours.dtype).tiny)
        allowed = torch.maximum(4 * (theirs.double() - true).abs().amax(), 2 * torch.finfo(ours.dtype).eps * scale)
        worst = max(worst, ((ours.double() - true).abs() / allowed).max().item())
    return worst


def widen(inputs):
    return [t.detach().double().requires_grad_(t.requires_grad) if t.is_floating_point() else t for t in inputs]


def copy_bandwidth():
    source = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * 4 / measure_calls(target.copy_, [source])


def prepare(name, options):
    """What to time: how a function is called, the inputs and the least bytes."""
    spec, sizes = suite.PROGRAMS[name]
    program, inputs = getattr(suite, name), make_inputs(spec, sizes)
    least = size_in_bytes(inputs) + size_in_bytes(outcome(program, inputs))
    if options.backward and name in suite.IN_PLACE:
        return None
    if not options.backward:
        return lambda function: function, inputs, least
    constants = suite.CONSTANTS.get(name, ())
    leaves = [i for i, t in enumerate(inputs) if t.is_floating_point() and i not in constants]
    for i in leaves:
        inputs[i].requires_grad_()
    results = flatten(program(*inputs))
    seeds = {i: torch.randn_like(t) for i, t in enumerate(results) if t.requires_grad}
    if not seeds:
        return None
    original = with_gradients(program, leaves, seeds)
    least += size_in_bytes(seeds.values()) + size_in_bytes([inputs[i] for i in leaves])
    if name not in suite.RANDOM:
        least += size_in_bytes(read_again(original, inputs, leaves))

    def wrap(function):
        dtype = None

        def run(*arguments):
            nonlocal dtype
            if arguments[leaves[0]].dtype != dtype:
                dtype = arguments[leaves[0]].dtype
                wide = dtype == torch.float64
                run.call = with_gradients(function, leaves, {i: t.double() if wide else t for i, t in seeds.items()})
            return run.call(*arguments)

        return run

    return wrap, inputs, least


def time_program(name, options, bandwidth):
    """One row of the table, as a dictionary."""
    folder = options.folder / ("backward" if options.backward else "forward")
    program = getattr(suite, name)
    path = folder / f"{name}_stage{options.stage}.py"
    prepared = prepare(name, options)
    if prepared is None:
        return None
    wrap, inputs, least = prepared
    ours = wrap(getattr(load(path), name))
    row = {"program": name, "floor": least / bandwidth, "error": 0.0, "estimate": estimate(folder, name, options.stage)}
    if name not in suite.RANDOM:
        exact = outcome(wrap(program), widen(inputs))
        row["error"] = error_ratio(outcome(ours, inputs), outcome(wrap(program), inputs), exact)
    torch.cuda.empty_cache()
    measure = measure_device if options.device_time else measure_calls
    row["nereid"] = measure(ours, inputs)
    if options.first:
        row["first"] = measure(wrap(getattr(load_first(path), name)), inputs)
    row["eager"] = measure(wrap(program), inputs)
    row["compile"] = measure(wrap(torch.compile(program)), inputs)
    if options.max_autotune:
        torch._dynamo.reset()
        row["max-autotune"] = measure(wrap(torch.compile(program, mode="max-autotune-no-cudagraphs")), inputs)
    return row


def estimate(folder, name, stage):
    """The microseconds that the cost model expects, forward and backward."""
    files = json.loads((folder / f"{name}.json").read_text())["files"]
    return sum(file["estimated_us"] for file in files if file["stage"] == int(stage))


def rank_correlation(xs, ys):
    """Spearman's: the correlation of the ranks."""

    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        return sorted(range(len(values)), key=order.__getitem__)

    return statistics.correlation(ranks(xs), ranks(ys))


def line(row):
    floor, ours, theirs = row["floor"], row["nereid"], row["compile"]
    cells = [row["program"], f"{ours:.0f}", f"{row['eager']:.0f}", f"{theirs:.0f}", f"{floor / ours:.0%}"]
    cells += [f"{floor / theirs:.0%}", f"{theirs / ours:.2f}x"]
    if "max-autotune" in row:
        cells.append(f"{row['max-autotune'] / ours:.2f}x")
    if "first" in row:
        cells.append(f"{ours / row['first']:.2f}x")
    return "| " + " | ".join([*cells, f"{row['error']:.2f}"]) + " |"


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stage", default="3")
    parser.add_argument("--backward", action="store_true", help="time forward and backward together")
    parser.add_argument("--max-autotune", action="store_true", help="beside torch.compile's mode max-autotune too")
    parser.add_argument("--first", action="store_true", help="with NEREID_CONFIG=first too, beside the tuned file")
    parser.add_argument("--device-time", action="store_true", help="without the time of the host")
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}, ", end="")
    print(f"copy {bandwidth / 1e6:.2f} TB/s, stage {options.stage}\n")
    columns = ["program", "nereid us", "eager us", "compile us", "of copy", "compile of copy", "against compile"]
    columns += ["against max-autotune"] * options.max_autotune + ["first against tuned"] * options.first
    columns.append("error/allowed")
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    rows = []
    for name in options.names or suite.PROGRAMS:
        try:
            row = time_program(name, options, bandwidth)
        except Exception as problem:  # the table shows what failed and goes on
            print(f"| {name} | failed: {type(problem).__name__}: {str(problem).splitlines()[0][:120]} |", flush=True)
            continue
        finally:
            torch._dynamo.reset()
            torch.cuda.empty_cache()
        if row is not None:
            print(line(row), flush=True)
            rows.append(row)
    if options.json:
        options.json.write_text(json.dumps({"bandwidth": bandwidth, "rows": rows}, indent=1))
    if rows:
        share = geometric_mean([row["floor"] / row["nereid"] for row in rows])
        print(f"\nGeometric means over {len(rows)}: {share:.0%} of copy", end="")
        for other in ("compile", "max-autotune"):
            if other in rows[0]:
                print(f", {geometric_mean([row[other] / row['nereid'] for row in rows]):.2f}x {other}", end="")
        if "first" in rows[0]:
            print(
                f"; NEREID_CONFIG=first {geometric_mean([row['nereid'] / row['first'] for row in rows]):.3f}x", end=""
            )
        print()
    if len(rows) > 2:
        # Against the floor: programs that move more bytes take longer, whatever the model says.
        expected, found = ([row[key] / row["floor"] for row in rows] for key in ("estimate", "nereid"))
        print(
            f"Rank correlation of the cost model's times with the measured ones, both over the floor's: {rank_correlation(expected, found):.2f}"
        )


if __name__ == "__main__":
    main()
