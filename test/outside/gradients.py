# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradients of every program of examples/, judged outside of nereid.

    gradients.py BINARY [--only WORD] [--share K/N] [--lowered] [--jobs N]

Converts each file with --backward at every stage and demands that every access is proved or that the program is
refused for the reason given here. The emitted files run under upstream Triton's interpreter; results and gradients, for
random gradients of the results, are compared with PyTorch's autograd: the reference is the program in float64, allowed
is four times PyTorch's own error or two units in the last place. With --lowered wrappers choose kernels for long rows
at short ones, in small blocks: only files of stage 3 that have such kernels. Prints one line a failure; exits 1 on one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import halves
import lowering
import shares
from parallel import judge_all
from proofs import find_open

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# What has no gradient, or none yet, and what must be said about it.
REFUSED = {
    "lion_step": "a write behind autograd's back",
    "mandelbrot_step": "no result has a gradient",
    "sgd_momentum": "is mutated by the program",
}
# PyTorch itself has no gradient for floor_divide and histc.
UNJUDGED = {"grid_cells", "scatter_rows"}
# Inputs over which PyTorch's own error is taken, and how many more where a file seems wrong.
SEEDS, MORE_SEEDS = 8, 24


def check(binary, example, folder, stages="all"):
    """The problems of one conversion, and what it wrote; nothing for what is rightly refused."""
    command = [binary, "convert", example, "--stage", stages, "--backward", "-o", folder]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, cwd=ROOT)
    reason = REFUSED.get(Path(example).stem)
    if reason:
        right = done.returncode == 2 and reason in done.stderr and f"{example}:" in done.stderr
        return ([] if right else [f"not refused as expected: {done.stderr[:300]}"]), None
    if done.returncode != 0:
        return [f"convert: exit {done.returncode}: {done.stderr.strip()[:400]}"], None
    converted = json.loads(done.stdout)
    problems = find_open(Path(example).stem, converted["files"])
    for file in converted["files"]:
        if file["backward"] is not True:
            problems.append(f"stage {file['stage']}: the report says that there is no backward")
    return problems, converted


def judge(job):
    """Runs in a process of its own: upstream's interpreter must be chosen before triton is imported."""
    import warnings

    import run_interpreter as runner  # before triton
    import torch

    import loading
    import parameters

    emitted_path, original_path, name = job
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    source, original, emitted = loading.load_pair(original_path, emitted_path, name)

    def run(program, inputs, cotangents, wide=False, summed=False, asked=None):
        """Results and gradients, by name; the gradients of the results that have one.

        Of some leaves, where `asked` names them: cotangents are then those of the results that all leaves give one.
        """
        program = parameters.copied(program) if isinstance(program, torch.nn.Module) else program
        if wide and isinstance(program, torch.nn.Module):
            program = parameters.load_command_line()._widen(program)
        leaves = {}

        def leaf(x):
            x = runner.to_float64(x) if wide else runner.clone(x)
            leaves[f"input {len(leaves)}"] = x
            return x.requires_grad_(runner.is_inexact(x))

        inputs = runner.map_tensors(inputs, leaf)
        if isinstance(program, torch.nn.Module):
            leaves.update(program.named_parameters())
        if asked is not None:
            for name, x in leaves.items():
                x.requires_grad_(runner.is_inexact(x) and name in asked)
        with runner.StayWide() if wide else runner.ScanInOrder():
            results = [x for x in runner.flatten(runner.apply(program, inputs)) if isinstance(x, torch.Tensor)]
        made = {f"result {i}": x.detach() for i, x in enumerate(results)}
        made |= {f"result {i} requires a gradient": x.requires_grad for i, x in enumerate(results)}
        given = [x for x in results if x.requires_grad]
        if not cotangents and summed:
            # Another number for each input: of 1 PyTorch's error may be small by luck each time.
            cotangents.extend((torch.rand(()) + 0.5).to(x.dtype).expand(x.shape) for x in given)
        elif not cotangents:
            cotangents.extend(torch.randn(x.shape, dtype=torch.cfloat if x.is_complex() else None).to(x.dtype) for x in given)
        if asked is not None:
            pairs = zip(results, cotangents, strict=True)
            given, cotangents = zip(*((x, c) for x, c in pairs if c is not None and x.requires_grad), strict=True)
        with runner.StayWide() if wide else runner.ScanInOrder():
            torch.autograd.backward(given, [c.to(x.dtype) for c, x in zip(cotangents, given)])
        made |= {f"buffer {n}": x.detach() for n, x in runner.get_written(program).items()}
        return made | {f"gradient of {n}": x.grad for n, x in leaves.items()}

    def arguments():
        return loading.name_inputs(original, source.get_inputs())

    def errors_of(own, exact):
        return {n: runner.get_error(own[n], exact[n]) for n in own if exact[n] is not None}

    def judge_mode(summed):
        """What is wrong with results and gradients as both are set."""
        inputs, cotangents = arguments(), []
        own = run(original, inputs, cotangents, summed=summed)
        exact = run(original, inputs, cotangents, wide=True, summed=summed)
        found = run(emitted, inputs, cotangents, summed=summed)
        # PyTorch's own error is taken over several inputs: a few elements may be right by luck.
        errors = errors_of(own, exact)

        def learn_errors(count):
            for _ in range(count):
                more_inputs, cotangents = arguments(), []
                more = run(original, more_inputs, cotangents, summed=summed)
                wide = run(original, more_inputs, cotangents, wide=True, summed=summed)
                errors.update({n: max(e, errors[n]) for n, e in errors_of(more, wide).items()})

        def compare():
            for place, value in own.items():
                if value is None or found[place] is None:
                    problem = "" if value is found[place] else f"found {found[place]}, expected {value}"
                else:
                    problem = runner.compare(found[place], exact[place], value, errors.get(place, 0.0))
                if problem:
                    return f"{place}: {problem}"
            return ""

        learn_errors(SEEDS - 1)
        if found.keys() != own.keys():
            return f"found {sorted(found)}, expected {sorted(own)}"
        problem = compare()
        if problem:
            # Of a few sums of a few elements each even eight may be right by luck.
            learn_errors(MORE_SEEDS)
            problem = compare()
        if problem:
            return problem
        # Where only some gradients are asked for, kernels leave out what the others need.
        asked_for = [name for name in own if name.startswith("gradient of") and own[name] is not None]
        with_one = [own[f"result {i} requires a gradient"] for i in range(sum("requires" in name for name in own))]
        remaining = iter(cotangents)
        of_results = [next(remaining) if one else None for one in with_one]
        apart = [{name} for name in ((*asked_for[:2], asked_for[-1]) if len(asked_for) > 1 else ())]
        if len(asked_for) > 2:
            apart.append({*asked_for[1:]})
        for names in apart:
            some = run(emitted, inputs, of_results, asked={name.removeprefix("gradient of ") for name in names})
            for name in names:
                problem = runner.compare(some[name], exact[name], own[name], errors.get(name, 0.0))
                if problem:
                    return f"{name}, asked for with {len(names) - 1} others: {problem}"
        # Without gradients other kernels run.
        plain = [x for x in runner.call(emitted, runner.map_tensors(inputs, runner.clone)) if torch.is_tensor(x)]
        for place, mine in enumerate(plain):
            name = f"result {place}"
            if own.get(name) is None:
                break
            problem = runner.compare(mine, exact[name], own[name], errors.get(name, 0.0))
            if problem:
                return f"{name} under no_grad: {problem}"
        return ""

    given = arguments()
    modes = runner.get_modes(original, lambda program: runner.call(program, runner.map_tensors(given, runner.clone)))
    for training in modes:
        runner.set_mode(training, original, emitted)
        for summed in (False,) if training else (False, True):
            problem = judge_mode(summed)
            if problem:
                return "in training, " * training + "summed, " * summed + problem
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--lowered", action="store_true", help="take the ways of long rows at short ones")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    examples = [path for path in sorted((ROOT / "examples").glob("*.py")) if options.only in path.stem]
    examples = shares.choose(examples, options.share)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for example in halves.add_wide(examples, folder):
            # Two programs may export the same name.
            stages = "3" if options.lowered else "all"
            problems, converted = check(binary, str(example), f"{folder}/{example.stem}", stages)
            for file in converted["files"] if converted and example.stem not in UNJUDGED else ():
                if options.lowered and not lowering.lower_file(file):
                    continue
                job = (file["path"], str(example), converted["program"])
                jobs.append((example.stem, file["stage"], job))
            failures += len(problems)
            for problem in problems:
                print(f"FAIL {example.stem}: {problem}", flush=True)
        wrong = judge_all(jobs, judge, options.jobs)
    failures += wrong
    print(f"gradients: {len(jobs) - wrong} right, {failures} wrong; files of {len(examples)} programs")
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
