# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module is made with and is no number or tensor: functions, slices, sets, hooks.

    settings.py BINARY [--only WORD]

Each module of CASES is converted with gradients. What was emitted has to be right as it is (by upstream's interpreter,
and traced by torch.compile with all sizes and floats symbolic), and to raise a ValueError once a setting has changed,
by the constructor or later, in place of computing what it was. Prints one line a failure; exits 1 on one.
"""

import argparse
import subprocess
import sys
import tempfile
import textwrap
import warnings
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import loading
import torch

HEADER = "import functools\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
FOOTER = "\n\ndef get_inputs():\n    return [torch.randn(7, 6)]\n"


def twice(module, *rest):
    return rest[-1] * 2


#: Name: the module, what changes it, and arguments of its constructor with which it is another.
CASES = {
    "lambda": (
        """
        class Net(nn.Module):
            def __init__(self, act=lambda x: x + 1):
                super().__init__()
                self.act = act

            def forward(self, x):
                return self.act(x)
        """,
        lambda m: setattr(m, "act", lambda x: x + 100),
        {"act": lambda x: x * x},
    ),
    "defaults of a lambda that only its maker sees": (
        """
        def make_act(by):
            scaled = by * 2
            return lambda x, scale=scaled, *, shift=by: x * scale + shift

        class Net(nn.Module):
            def __init__(self, by=1.5):
                super().__init__()
                self.act = make_act(by)

            def forward(self, x):
                return self.act(x)
        """,
        lambda m: setattr(m, "act", lambda x, scale=3.0, *, shift=1.0: x * scale + shift),
        {"by": 2.0},
    ),
    "module for a function": (
        """
        class Net(nn.Module):
            def __init__(self, act=lambda x: x + 1):
                super().__init__()
                self.act = act

            def forward(self, x):
                return self.act(x)
        """,
        lambda m: setattr(m, "act", torch.tanh),
        {"act": torch.nn.Tanh()},
    ),
    "function of a maker": (
        """
        def make_shift(by):
            def inner(x):
                return x + by

            return inner


        def make_scale(by):
            def inner(x):
                return x * by

            return inner


        class Net(nn.Module):
            def __init__(self, scales=False):
                super().__init__()
                self.act = make_scale(3.0) if scales else make_shift(3.0)

            def forward(self, x):
                return self.act(x)
        """,
        None,
        {"scales": True},
    ),
    "list that is closed over": (
        """
        def scale(ks):
            return lambda x: x * ks[0]


        class Net(nn.Module):
            def __init__(self, k=2.0):
                super().__init__()
                self.act = scale([k])

            def forward(self, x):
                return self.act(x)
        """,
        None,
        {"k": 5.0},
    ),
    "lambda of a list": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = [torch.tanh, lambda x: x * 2]

            def forward(self, x):
                for step in self.steps:
                    x = step(x)
                return x
        """,
        lambda m: m.steps.__setitem__(1, lambda x: x * 3),
        None,
    ),
    "slice": (
        """
        class Net(nn.Module):
            def __init__(self, keep=slice(0, 3)):
                super().__init__()
                self.keep = keep

            def forward(self, x):
                return x[:, self.keep] * 2
        """,
        lambda m: setattr(m, "keep", slice(2, 5)),
        {"keep": slice(1, 3)},
    ),
    "range": (
        """
        class Net(nn.Module):
            def __init__(self, powers=range(1, 4)):
                super().__init__()
                self.powers = powers

            def forward(self, x):
                return sum(x**p for p in self.powers)
        """,
        lambda m: setattr(m, "powers", range(1, 3)),
        {"powers": range(2, 4)},
    ),
    "set": (
        """
        class Net(nn.Module):
            def __init__(self, on=frozenset([1, 3])):
                super().__init__()
                self.on = on

            def forward(self, x):
                return x * 2 if 1 in self.on else x
        """,
        lambda m: setattr(m, "on", frozenset()),
        {"on": {3}},
    ),
    "bytes": (
        """
        class Net(nn.Module):
            def __init__(self, kind=b"tanh"):
                super().__init__()
                self.kind = kind

            def forward(self, x):
                return x.tanh() if self.kind == b"tanh" else x
        """,
        lambda m: setattr(m, "kind", b"relu"),
        {"kind": b"relu"},
    ),
    "torch.Size": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.shape = torch.Size([6])

            def forward(self, x):
                return F.layer_norm(x, self.shape)
        """,
        lambda m: setattr(m, "shape", torch.Size([7])),
        None,
    ),
    "hook": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = nn.Linear(6, 6)
                self.hook = self.part.register_forward_hook(lambda m, i, o: o * 2)

            def forward(self, x):
                return self.part(x)
        """,
        lambda m: (m.hook.remove(), m.part.register_forward_hook(lambda m, i, o: o * 5)),
        None,
    ),
    "hook of gradients": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = nn.Linear(6, 6)

            def forward(self, x):
                return self.part(x)
        """,
        lambda m: m.part.register_full_backward_hook(lambda m, i, o: (i[0] * 2,)),
        None,
    ),
    "hook of all modules": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = nn.Linear(6, 6)

            def forward(self, x):
                return self.part(x)
        """,
        lambda m: ALL.append(torch.nn.modules.module.register_module_forward_hook(twice)),
        None,
    ),
    "module without a state": (
        """
        class Swish(nn.Module):
            def forward(self, x):
                return x * torch.sigmoid(x)

        class Net(nn.Module):
            def __init__(self, plain=True):
                super().__init__()
                self.act = Swish() if plain else nn.Identity()
                self.short = nn.Sequential() if plain else nn.Sequential(nn.ReLU())

            def forward(self, x):
                return self.act(x) + self.short(x)
        """,
        lambda m: setattr(m, "act", torch.nn.Tanh()),
        {"plain": False},
    ),
    "hook of a module without a state": (
        """
        class Net(nn.Module):
            def __init__(self, layers=0):
                super().__init__()
                self.layers = nn.ModuleList([nn.ReLU() for _ in range(layers)])
                self.last = nn.Identity()

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.last(x) * 2
        """,
        lambda m: m.last.register_forward_hook(twice),
        {"layers": 2},
    ),
    "method that the constructor chooses": (
        """
        class Net(nn.Module):
            def __init__(self, mode="double"):
                super().__init__()
                self.step = getattr(self, "_" + mode)

            def _double(self, x):
                return x * 2

            def _next(self, x):
                return x + 1

            def forward(self, x):
                return self.step(x)
        """,
        lambda m: setattr(m, "step", m._next),
        {"mode": "next"},
    ),
    "method of another class, within partial": (
        """
        class Double:
            def run(self, x, by=1.0):
                return x * 2 * by

        class Next:
            def run(self, x, by=1.0):
                return x + by

        class Net(nn.Module):
            def __init__(self, maker=0):
                super().__init__()
                self.step = functools.partial((Double, Next)[maker]().run, by=3.0)

            def forward(self, x):
                return self.step(x)
        """,
        None,
        {"maker": 1},
    ),
    "function of Python": (
        """
        import operator

        class Net(nn.Module):
            def __init__(self, adds=True):
                super().__init__()
                self.combine = operator.add if adds else operator.mul

            def forward(self, x):
                return self.combine(x, x * 2)
        """,
        lambda m: setattr(m, "combine", max),
        {"adds": False},
    ),
    "name that is looked for": (
        """
        class Net(nn.Module):
            def forward(self, x):
                return x * getattr(self, "gain", 2.0)
        """,
        lambda m: setattr(m, "gain", 3.0),
        None,
    ),
    "integer for a float beside integers": (
        """
        class Net(nn.Module):
            def __init__(self, scale=0.5):
                super().__init__()
                self.scale = scale

            def forward(self, x):
                return x * 2, x.argmax(1) * self.scale
        """,
        lambda m: setattr(m, "scale", 2),
        {"scale": 3},
    ),
    "class of a function that makes it": (
        """
        class Net(nn.Module):
            def __init__(self, scale=2.0):
                super().__init__()

                class Inner(nn.Module):
                    def forward(self, x):
                        return x * scale

                self.inner = Inner()

            def forward(self, x):
                return self.inner(x)
        """,
        None,
        {"scale": 3.0},
    ),
}
ALL = []


def first(results):
    return results[0] if isinstance(results, tuple) else results


def raises(call):
    try:
        call()
    except ValueError:
        return True
    return False


def judge(binary, name, folder):
    """What is wrong, by lines."""
    text, change, arguments = CASES[name]
    path = Path(folder) / "program.py"
    path.write_text(HEADER + textwrap.dedent(text).strip() + FOOTER)
    command = [binary, "convert", f"{path}:Net", "--stage", "3", "--backward", "-o", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        yield f"not converted: {done.stderr[:300]}"
        return
    _, original, emitted = loading.load_pair(str(path), f"{folder}/net_stage3.py", "Net")
    x = torch.randn(7, 6)
    if not torch.allclose(first(emitted(x)), first(original(x)), rtol=1e-5, atol=1e-5):
        yield "other results than the original"
    torch._dynamo.reset()
    traced = torch.compile(emitted, fullgraph=True, dynamic=True, backend="eager")
    if not torch.allclose(first(traced(x)), first(original(x)), rtol=1e-5, atol=1e-5):
        yield "other results where it is traced"
    if arguments and not raises(lambda: type(emitted)(**arguments)(x)):
        yield f"made with {arguments} it computes what it was converted for"
    if change:
        change(emitted)
        if not raises(lambda: emitted(x)):
            yield "changed later it computes what it was converted for"
        while ALL:
            ALL.pop().remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    right = wrong = 0
    for name in [name for name in CASES if options.only in name]:
        with tempfile.TemporaryDirectory() as folder:
            problems = list(judge(str(Path(options.binary).resolve()), name, folder))
        right, wrong = right + (not problems), wrong + bool(problems)
        for problem in problems:
            print(f"FAIL {name}: {problem}", flush=True)
    print(f"settings: {right} right, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
