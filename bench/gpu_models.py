# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of examples/models on a GPU at their published sizes: right against float64, and timed beside eager.

    gpu_models.py FOLDER [--gradients] [--compile] [--only WORD]
    gpu_models.py FOLDER --profile [--gradients] [--compile] [--only WORD]    what each kernel takes, the longest first

FOLDER holds what `nereid convert examples/models/NAME.py --stage 3 -o FOLDER/NAME/` made (with --backward for
--gradients). Each model is made twice with the same parameters, in eval mode, so that no numbers are drawn. The error is the
norm of the difference to float64 by the norm of the result, of all results or of all gradients of parameters; that of
eager, with the precisions that PyTorch takes by default, stands beside it. Times are medians of CUDA events, caches warm.
Prints a table of Markdown, a line a model: with the host, and without it (all kernels of a call stand ready before the
first one starts), each beside eager's and, with --compile, torch.compile's of the default mode.
"""

import argparse
import importlib.util
import statistics
import sys
from pathlib import Path

import torch
from gpu_kernels import measure as kernel_times
from torch.utils._pytree import tree_map

ROOT = Path(__file__).resolve().parent.parent


def load(path):
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [x for part in value for x in tensors_of(part)] if isinstance(value, (list, tuple)) else []


def moved(value, dtype):
    if isinstance(value, torch.Tensor):
        return value.cuda().to(dtype if value.is_floating_point() else value.dtype)
    return value


def call(model, inputs, gradients):
    """The floating-point results, or the gradients of all parameters."""
    with torch.set_grad_enabled(gradients):
        results = [x for x in tensors_of(model(*inputs)) if x.is_floating_point()]
    if not gradients:
        return results
    parameters = [p for p in model.parameters() if p.requires_grad]
    return [g for g in torch.autograd.grad(sum(x.sum() for x in results), parameters, allow_unused=True) if g is not None]


def error(found, exact):
    """The norm of the difference by the norm of what is exact."""
    off = sum(((a.double() - b) ** 2).sum() for a, b in zip(found, exact, strict=True)).sqrt()
    return (off / sum((b**2).sum() for b in exact).sqrt()).item()


def milliseconds(run, waits, repetitions=7):
    """The median; where it waits, all kernels of a call stand ready before the first one starts."""
    for _ in range(3):
        run()
    times = []
    for _ in range(repetitions):
        torch.cuda.synchronize()
        if waits:
            torch.cuda._sleep(100_000_000)
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def prepared(name, path):
    """The model, ours with its parameters, its inputs, and the companion that judges it."""
    source = load(ROOT / "examples/models" / f"{name}.py")
    emitted = load(path)
    check = load(next(path.parent.glob("*_check.py")))
    cls = check._EXPORTED
    torch.manual_seed(0)
    init = source.get_init_inputs() if hasattr(source, "get_init_inputs") else []
    options = init if isinstance(init, dict) else {}
    arguments = [] if options else init
    own = getattr(source, cls)(*arguments, **options).cuda().eval()
    mine = getattr(emitted, cls)(*arguments, **options).cuda().eval()
    mine.load_state_dict(own.state_dict())
    return own, mine, tree_map(lambda x: moved(x, torch.float32), source.get_inputs()), check


def profile(name, path, gradients, compiles, most=25):
    """Prints the microseconds that each kernel takes in a call: ours, eager's, the compiler's."""
    own, mine, inputs, _ = prepared(name, path)
    models = {"nereid": mine, "eager": own} | ({"compile": torch.compile(own)} if compiles else {})
    for way, model in models.items():
        times = kernel_times(lambda model=model: call(model, inputs, gradients))
        total = sum(time for time, _ in times.values())
        print(f"{name}, {way}: {total:.0f} us, {sum(count for _, count in times.values()):.0f} launches", flush=True)
        for kernel, (time, launches) in sorted(times.items(), key=lambda item: -item[1][0])[:most]:
            print(f"    {time:9.1f} us {launches:5.1f}x {kernel[:100]}")


def measure(name, path, gradients, compiles):
    """The error, eager's, and the milliseconds with the host and without it: ours, eager's, the compiler's."""
    own, mine, inputs, check = prepared(name, path)
    found, eager = call(mine, inputs, gradients), call(own, inputs, gradients)
    models = [mine, own] + ([torch.compile(own)] if compiles else [])
    times = [milliseconds(lambda: call(model, inputs, gradients), waits) for waits in (False, True) for model in models]
    with check._Wide():  # casts that the model writes round
        exact = call(own.double(), tree_map(lambda x: moved(x, torch.float64), inputs), gradients)
    return error(found, exact), error(eager, exact), times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--compile", action="store_true", help="torch.compile beside eager")
    parser.add_argument("--profile", action="store_true", help="print what each kernel takes")
    parser.add_argument("--only", default="", help="models whose name has one of these words, with commas between them")
    options = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    columns = ["ms", "eager's"] + ["compiler's"] * options.compile
    columns = ["model", "error", "eager's", *columns, *(f"device {column}" for column in columns)]
    if not options.profile:
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    failed = 0
    for path in sorted(options.folder.glob("*/*_stage3.py")):
        name = path.parent.name
        if not any(word in name for word in options.only.split(",")):
            continue
        try:
            if options.profile:
                profile(name, path, options.gradients, options.compile)
                continue
            wrong, usual, times = measure(name, path, options.gradients, options.compile)
            print(f"| {name} | {wrong:.1e} | {usual:.1e} | " + " | ".join(f"{t:.2f}" for t in times) + " |", flush=True)
            failed += not wrong < max(20 * usual, 1e-5)
        except Exception as problem:
            print(f"| {name} | {type(problem).__name__}: {str(problem)[:200]} |", flush=True)
            failed += 1
        torch.cuda.empty_cache()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
