# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes that are seen through a reshape or contiguous() at some sizes and strides of a call, and at others not.

    sharing.py BINARY

What typical sizes decide must hold for every call: each program runs at sizes and strides at which PyTorch decides
otherwise, under upstream Triton's interpreter, and must give PyTorch's results and leave its arguments as PyTorch does,
or refuse the call by name. The calls that it may refuse are given. So for programs that write to arguments and are given
one tensor for two of them, or parts of one buffer that overlap. Exits 1 on a difference.
"""

import copy
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import loading
import torch

SOURCE = """
import torch


def copied(x):
    y = x.t().reshape(-1)
    y.add_(1)
    return x * 2, y


def copy_of_result(x):
    y = x * 2
    z = y.t().reshape(-1)
    z.add_(1)
    return y, z


def copy_written_before(x):
    y = x * 2
    z = y.t().reshape(-1)
    y.add_(1)
    return z


def cut(x, y):
    z = x[:, : y.shape[0]].reshape(-1)
    z.add_(1)
    return x * 2


def swapped_sizes(x):
    y = x * 2
    z = y.t().reshape(x.shape)
    z.add_(1)
    return y


def shared(x):
    x.reshape(-1).add_(1)
    return x * 2


def shared_twice(x):
    y = x.flatten()
    z = y.reshape(x.shape[1], -1)
    x.mul_(3)
    return z


def laid_out(x):
    y = x.contiguous()
    y.add_(1)
    return x


def laid_out_rows(x):
    y = x[1:].contiguous()
    y.add_(1)
    return x


def laid_out_columns(x):
    y = x * 2
    z = y.t().contiguous()
    z.add_(1)
    return y


def viewed(x):
    x.view(-1).add_(1)
    return x


def in_a_loop(x):
    state = torch.zeros(x.shape[1])
    for row in range(x.shape[0]):
        part = (x[row] * state + 1).reshape(1, -1)
        part.mul_(2)
        state = part.sum(0)
    return state


def across_turns(x):
    y = x * 2
    z = y.t().reshape(-1)
    total = torch.zeros(x.shape[1])
    for row in range(x.shape[0]):
        total = total * 0.5 + y[row]
        z.mul_(2)
    return total


class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        z = y.t().reshape(-1)
        z.add_(1)
        return y

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


def function_of_its_own(x):
    return Halves.apply(x) + 1


def unseen(x):
    y = (x.t() * 2).reshape(-1)
    y.add_(1)
    z = x.t().contiguous()
    return y, z + 1


def read_after(x, y):
    x.add_(1)
    return x * y


def written_after(y, x):
    x.fill_(2)
    y.copy_(x.t().reshape(y.shape) * 3)


def read_before(x, y):
    z = y * 3
    torch.sub(x, y, out=x)
    return z


def momentum(p, gradient, m):
    m.mul_(2).add_(gradient)
    p.sub_(m * 0.5)


def added(x, y):
    x.copy_(x + y)


def scaled(x, y):
    x.copy_(x * y)


def turned(x, y):
    x.copy_(x - y.flip(0))


def exchanged(x, y):
    x_before = x.clone()
    x.copy_(y)
    y.copy_(x_before)


def part(x, y):
    x[1:, : y.shape[1]] += y[:-1] * 2


def both(x, y):
    sums = x + y
    x.sub_(1)
    y.copy_(sums)
"""

SIZES = [(3, 4), (1, 4), (4, 1), (1, 1), (3, 3), (6, 2)]
ALL = [f"{sizes}{spread}" for sizes in SIZES for spread in ("", " spread")]
SPREAD = [case for case in ALL if "spread" in case]
ONES = [case for case in ALL if "1" in case]
#: The calls that each program may refuse: where PyTorch decides otherwise than for usual sizes, or is not asked.
REFUSED = {
    "copied": {*SPREAD, *ONES},
    "copy_of_result": {*SPREAD, *ONES},
    "copy_written_before": {*SPREAD, *ONES},
    "swapped_sizes": set(ALL),
    "shared": set(SPREAD),
    "shared_twice": set(SPREAD),
    "laid_out": set(SPREAD),
    "laid_out_rows": set(SPREAD),
    "laid_out_columns": {*SPREAD, *ONES},
    "in_a_loop": set(),
    "across_turns": {*SPREAD, *ONES},
    "function_of_its_own": {*SPREAD, *ONES},
    "viewed": set(),
    "unseen": set(),
}
#: The arguments, and calls that may be refused: which of them are one tensor.
ONE = {
    "read_after": ("x y", {"x is y"}),
    "written_after": ("y x", {"y is x"}),
    "read_before": ("x y", set()),
    "momentum": ("p gradient m", {"p is m", "gradient is m"}),
}
#: The inputs, and calls of views of a buffer of 64 x 80 that overlap: too many elements for one program of a kernel, so
#: that some read after others have written.
OVERLAPPING = {
    "next": lambda buffer: [buffer[:-1], buffer[1:]],
    "before": lambda buffer: [buffer[1:], buffer[:-1]],
    "half": lambda buffer: [buffer[:32], buffer[16:48]],
    "halves": lambda buffer: [buffer[:32], buffer[32:]],
    "one": lambda buffer: [buffer, buffer],
    "columns": lambda buffer: [buffer[:, :40], buffer[:, 40:]],
    "columns of both": lambda buffer: [buffer[:, :50], buffer[:, 30:]],
    "even and odd": lambda buffer: [buffer[:, ::2], buffer[:, 1::2]],
    "even and more": lambda buffer: [buffer[:, :40:2], buffer[:, 2:42:2]],
    "a row": lambda buffer: [buffer, buffer[40:41].expand(64, 80)],
    "turned": lambda buffer: [buffer[:, :64], buffer[:, :64].t()],
}
PARTS = {
    "added": ("x=f32[M,N],y=f32[M,N]", OVERLAPPING),
    "turned": ("x=f32[M,N],y=f32[M,N]", OVERLAPPING),
    "exchanged": ("x=f32[M,N],y=f32[M,N]", OVERLAPPING),
    "both": ("x=f32[M,N],y=f32[M,N]", OVERLAPPING),
    "part": (
        "x=f32[M,N],y=f32[M,K]",
        {
            "left of it": lambda buffer: [buffer, buffer[:, :40]],
            "right of it": lambda buffer: [buffer, buffer[:, 40:]],
            "halves": lambda buffer: [buffer[:, :40], buffer[:, 40:60]],
            "before": lambda buffer: [buffer[1:], buffer[:-1, :30]],
        },
    ),
    "scaled": (
        "x=f32[M,N],y=f32[N]",
        {
            "first row": lambda buffer: [buffer, buffer[0]],
            "last row": lambda buffer: [buffer, buffer[-1]],
            "another row": lambda buffer: [buffer[:63], buffer[63]],
        },
    ),
    "scaled first": (
        "x=f32[M,N],y=f32[]",
        {"first": lambda buffer: [buffer, buffer[0, 0]], "last": lambda buffer: [buffer, buffer[-1, -1]]},
    ),
    "scaled bits": (
        "x=f32[M,N],y=i32[M,N]",
        {"next": lambda buffer: [buffer[1:], buffer[:-1].view(torch.int32)]},
    ),
}
#: What is written to before another argument of its memory is used.
SHARED = {*OVERLAPPING} - {"halves", "columns", "even and odd"}
REFUSED |= {name: SHARED if name in ("exchanged", "both") else set() for name in PARTS}
REFUSED |= {name: one for name, (_, one) in ONE.items()}
CUT = {"cut": [((3, 4), 4), ((3, 4), 2), ((1, 4), 2), ((2, 5), 5)]}


def spread_out(x):
    """The same numbers, columns apart by the number of rows."""
    return x.t().contiguous().t()


def run(program, inputs):
    """The results and the arguments; what shares memory still does in the copies."""
    inputs = copy.deepcopy(inputs)
    results = program(*inputs)
    results = results if isinstance(results, tuple) else [results]
    return [*(x for x in results if x is not None), *inputs]


def judge(original, emitted, inputs, may_refuse):
    """What is wrong with a call."""
    try:
        expected = run(original, inputs)
    except RuntimeError:
        return ""  # PyTorch has no such view
    try:
        found = run(emitted, inputs)
    except ValueError as error:
        is_named = any(reason in str(error) for reason in ("a write tells the difference", "which is written to first"))
        return "" if is_named and may_refuse else f"raises {error}"
    return "" if all(map(torch.equal, found, expected)) else "another result, or arguments left otherwise"


def calls(name):
    """Each call's name and inputs."""
    generator = torch.Generator().manual_seed(1)
    for (rows, columns), length in CUT.get(name, ()):
        inputs = [torch.randn(rows, columns, generator=generator), torch.randn(length, generator=generator)]
        yield f"{rows, columns} cut at {length}", inputs
    if name in ONE:
        names = ONE[name][0].split()
        tensors = [torch.randn(3, 4, generator=generator) for _ in names]
        yield "all apart", tensors
        for first, second in itertools.combinations(range(len(names)), 2):
            yield (
                f"{names[first]} is {names[second]}",
                [tensors[first if place == second else place] for place in range(len(names))],
            )
    for call, take in PARTS[name][1].items() if name in PARTS else ():
        yield call, take(torch.randn(64, 80, generator=generator))
    for sizes in () if name in CUT or name in ONE or name in PARTS else SIZES:
        x = torch.randn(sizes, generator=generator)
        yield f"{sizes}", [x]
        yield f"{sizes} spread", [spread_out(x)]


def main(binary):
    torch.set_num_threads(1)
    faults = count = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "programs.py"
        source.write_text(SOURCE.lstrip())
        original = loading.load(source)
        for name in [*REFUSED, *CUT]:
            program = name.split()[0]
            emitted_in = Path(folder) / name.replace(" ", "_")
            spec = "x=f32[M,N]" + (",y=f32[K]" if name in CUT else "")
            if name in ONE:
                spec = ",".join(f"{argument}=f32[M,N]" for argument in ONE[name][0].split())
            if name in PARTS:
                spec = PARTS[name][0]
            command = [binary, "convert", f"{source}:{program}", "--inputs", spec, "--stage", "all", "-o", emitted_in]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                print(f"FAIL {name} is not converted: {done.stderr}")
                faults += 1
                continue
            for stage in (1, 2, 3):
                emitted = loading.load(emitted_in / f"{program}_stage{stage}.py")
                for call, inputs in calls(name):
                    may_refuse = name in CUT or call in REFUSED[name]
                    problem = judge(getattr(original, program), getattr(emitted, program), inputs, may_refuse)
                    count += 1
                    if problem:
                        faults += 1
                        print(f"FAIL {name}, stage {stage}, {call}: {problem}")
    print(f"sharing: {count - faults} right, {faults} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
