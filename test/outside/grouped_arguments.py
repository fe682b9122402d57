# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How models whose tensors pass in groups behave as a part of PyTorch, under upstream Triton's interpreter.

    grouped_arguments.py BINARY

From five tensors on a module's parameters, what training writes to and its numbers are named tuples in an emitted file.
Converts two models with --backward at every stage: gradients as PyTorch's, of frozen parameters none, by torch.compile,
torch.func (also a batch of gradients) and after training steps; replaced parameters are followed; tensors of other types
or sizes, and state that shares memory, are refused by their paths. Exits 1 at the first difference.
"""

import copy
import subprocess
import sys
import tempfile
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import torch

import loading
from expectations import check, raises

BINARY = str(Path(sys.argv[1]).resolve())
FOLDER = Path(tempfile.mkdtemp())

# Twin biases, whose gradients are one; a parameter whose gradient is at hand; names that are no fields of tuples.
PERCEPTRON = """import torch
from torch import nn


class Perceptron(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self._first = nn.Linear(6, width)
        self.twin = nn.Parameter(torch.randn(width))
        self.layers = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 5))
        self.offset = nn.Parameter(torch.randn(4, 5))
        self.register_buffer("count", torch.ones(()))

    def forward(self, x):
        x = torch.tanh(self._first(x) + self.twin)
        return self.layers(x) * self.count + self.offset
"""

# Counters and running statistics that training writes to, numbers, an eval of its own.
CONVOLUTIONS = """import torch
from torch import nn


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
            nn.Conv2d(4, 3, 1), nn.BatchNorm2d(3, momentum=0.3),
        )
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))
"""

# One tensor at two places, one module at several.
SHARED = """import torch
from torch import nn


class Shared(nn.Module):
    def __init__(self, is_tied=True, is_repeated=True, width=6):
        super().__init__()
        self.embedding = nn.Embedding(11, width)
        self.first = nn.Linear(width, width)
        self.second = self.first if is_repeated else nn.Linear(width, width)
        self.layers = nn.Sequential(self.first, nn.Tanh(), self.first)
        self.last = nn.Linear(width, width)
        self.head = nn.Linear(width, 11, bias=False)
        if is_tied:
            self.head.weight = self.embedding.weight

    def forward(self, x):
        return self.head(self.last(self.layers(self.second(self.embedding(x)))))
"""


def convert(name, text, inputs):
    """The original program, and the emitted ones."""
    path = FOLDER / f"{name}.py"
    path.write_text(text)
    command = [BINARY, "convert", path, "--inputs", inputs, "--backward", "--stage", "all", "-o", FOLDER / name]
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == 0, f"{name} is not converted: {done.stderr}")
    files = sorted((FOLDER / name).glob("*_stage?.py"))
    check(all("_Parameters = namedtuple" in file.read_text() for file in files), f"{name}: no groups")
    return loading.load(path), [loading.load(file) for file in files]


def near(a, b):
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and torch.allclose(a, b, atol=1e-5, rtol=1e-4)


def make(original, emitted, name):
    """Two modules with the same tensors."""
    torch.manual_seed(0)
    module = getattr(original, name)()
    other = getattr(emitted, name)()
    other.load_state_dict(module.state_dict())
    return module, other


def compare_gradients(module, other, x, what):
    for each in (module, other):
        each.zero_grad(set_to_none=True)
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    results = [each(y) for each, y in zip((module, other), inputs)]
    check(near(*results), f"{what}: the result")
    for result in results:
        (result * torch.arange(result.numel()).view_as(result).sin()).sum().backward()
    check(near(inputs[0].grad, inputs[1].grad), f"{what}: the gradient of the input")
    pairs = zip(module.named_parameters(), other.parameters())
    for (name, a), b in pairs:
        check(near(a.grad, b.grad), f"{what}: the gradient of {name}")
    for (name, a), b in zip(module.named_buffers(), other.buffers()):
        check(near(a, b), f"{what}: the buffer {name}")


def test_gradients():
    original, stages = convert("perceptron", PERCEPTRON, "x=f32[4,6]")
    for emitted in stages:
        module, other = make(original, emitted, "Perceptron")
        compare_gradients(module, other, torch.randn(4, 6), "perceptron")
        for frozen in ("twin", "layers.0.weight", "offset"):
            for each in (module, other):
                each.get_parameter(frozen).requires_grad_(False)
            compare_gradients(module, other, torch.randn(4, 6), f"{frozen} frozen")
        # Parameters that were replaced are followed.
        weight = torch.nn.Parameter(torch.randn(8, 8))
        for each in (module, other):
            each.layers[0].weight = weight if each is module else copy.deepcopy(weight)
        compare_gradients(module, other, torch.randn(4, 6), "a replaced weight")


def test_training():
    original, stages = convert("convolutions", CONVOLUTIONS, "x=f32[B,2,H,W]")
    for emitted in stages:
        module, other = make(original, emitted, "Convolutions")
        for mode in (True, False, True):
            for each in (module, other):
                each.train(mode)
            compare_gradients(module, other, torch.randn(3, 2, 5, 4), f"training is {mode}")
        with torch.no_grad():
            check(near(module(torch.ones(2, 2, 3, 3)), other(torch.ones(2, 2, 3, 3))), "no gradients")
        for each in (module, other):
            each.features[1].eps, each.features[4].momentum = 0.5, 0.01
        compare_gradients(module, other, torch.randn(3, 2, 5, 4), "other numbers")
        # In memory where channels are inner, as after `to(memory_format=torch.channels_last)`.
        for each in (module, other):
            each.to(memory_format=torch.channels_last)
        compare_gradients(module, other, torch.randn(3, 2, 5, 4), "channels last")


def test_transforms():
    original, stages = convert("transformed", PERCEPTRON, "x=f32[4,6]")
    from torch.func import functional_call, grad, vmap

    for emitted in stages:
        module, other = make(original, emitted, "Perceptron")
        values = {name: x.detach() for name, x in module.named_parameters()}
        x = torch.randn(3, 4, 6)

        def loss(values, x, each):
            return functional_call(each, values, (x,)).pow(2).sum()

        alone = [grad(loss)(values, x[0], each) for each in (module, other)]
        many = [vmap(lambda y: grad(loss)(values, y, each))(x) for each in (module, other)]
        for found in (alone, many):
            for name in values:
                check(near(found[0][name], found[1][name]), f"torch.func: the gradient of {name}")


def test_compiled():
    original, stages = convert("compiled_groups", PERCEPTRON, "x=f32[4,6]")
    for emitted in stages:
        module, other = make(original, emitted, "Perceptron")
        traced = torch.compile(other, backend="aot_eager", fullgraph=True)
        compare_gradients(module, traced, torch.randn(4, 6), "torch.compile")
        with torch.no_grad():
            x = torch.randn(4, 6)
            check(near(module(x), traced(x)), "torch.compile without gradients")
    original, stages = convert("compiled_training", CONVOLUTIONS, "x=f32[B,2,H,W]")
    for emitted in stages[2:]:
        module, other = make(original, emitted, "Convolutions")
        module.eval(), other.eval()
        traced = torch.compile(other, backend="aot_eager", fullgraph=True)
        compare_gradients(module, traced, torch.randn(3, 2, 5, 4), "torch.compile in eval")
        module.train(), other.train()
        with torch.no_grad():
            x = torch.randn(3, 2, 5, 4)
            check(near(module(x), traced(x)), "torch.compile in training without gradients")
        compare_gradients(module, traced, torch.randn(3, 2, 5, 4), "torch.compile in training")


def test_refusals():
    original, stages = convert("refused", CONVOLUTIONS, "x=f32[B,2,H,W]")
    for emitted in stages:
        x = torch.randn(3, 2, 5, 4)

        def refused(change, text):
            module = make(original, emitted, "Convolutions")[1]
            change(module)
            raises(Exception, text, lambda: module(x))

        refused(lambda m: setattr(m.head, "bias", torch.nn.Parameter(torch.randn(3))), "head.bias")
        refused(lambda m: m.features[1].double(), "features.1.weight")
        refused(lambda m: m.features[3].to("meta"), "features.3.weight")

        def share(module):
            both = torch.zeros(5)
            module.features[1].running_mean = both[:4]
            module.features[4].running_mean = both[2:]

        refused(share, "features_1_running_mean")
        refused(lambda m: m.features[4].running_var.requires_grad_(), "running_var")


def test_shared():
    """What is one at conversion and several at the call would be computed with one of them."""
    original, stages = convert("shared", SHARED, "x=i64[3]<11")
    x = torch.tensor([1, 7, 10])
    for emitted in stages:
        module, other = make(original, emitted, "Shared")
        check(near(module(x), other(x)), "shared parameters")
        for each in (module, other):
            each.embedding.weight.data.mul_(2)
            each.first.load_state_dict(torch.nn.Linear(6, 6, bias=True, device="cpu").state_dict() | {"bias": torch.ones(6)})
        other.load_state_dict(module.state_dict())
        check(near(module(x), other(x)), "shared parameters that changed")
        for options, path in (({"is_tied": False}, "head.weight"), ({"is_repeated": False}, "second")):
            raises(ValueError, f"self.{path}: ", lambda: emitted.Shared(**options)(x))
        changes = {
            "head.weight": lambda m: setattr(m.head, "weight", torch.nn.Parameter(torch.randn(11, 6))),
            "head.weight: ": lambda m: setattr(m, "embedding", torch.nn.Embedding(11, 6)),
            "layers.2": lambda m: m.layers.__setitem__(2, torch.nn.Linear(6, 6)),
            "second": lambda m: setattr(m, "first", torch.nn.Linear(6, 6)),
        }
        for path, change in changes.items():
            module = emitted.Shared()
            change(module)
            raises(ValueError, f"self.{path}", lambda: module(x))


def main():
    tests = (test_gradients, test_training, test_transforms, test_compiled, test_refusals, test_shared)
    for test in tests:
        test()
    print(f"grouped arguments: {len(tests)} right, 0 wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
