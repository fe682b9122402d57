# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random PyTorch programs as text.

Each statement is drawn from a family of rules and run at once at small sizes, so that PyTorch says what is valid; what
fails, grows beyond 1000 or holds no number is drawn again. A value is exact where it is an argument or made of exact
ones without rounding: only those are compared, sorted or rounded to integers, because elsewhere the last digit decides.
"""

import dataclasses
import re

import torch

import random_products
import random_rules

HEADER = "import torch\nimport torch.nn.functional as F\n\n\n"
# Base sizes that no constant and few sums of sizes equal.
SYMBOLS = {"M": 5, "N": 9, "K": 13}
CONSTANTS = (1, 2, 3, 4, 6)
DTYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}
DTYPES |= {"i64": torch.int64, "bool": torch.bool}


@dataclasses.dataclass
class Parameter:
    """An argument: its element type, its sizes as symbols and numbers, and what its integers lie below."""

    name: str
    dtype: str
    sizes: tuple
    below: object = None

    def spec(self):
        return f"{self.name}={self.dtype}[{','.join(map(str, self.sizes))}]"

    def make(self, sizes, generator, spread=False):
        """Random elements; spread ones do not lie one behind the other in memory."""
        shape = [sizes.get(size, size) for size in self.sizes]
        dtype = DTYPES[self.dtype]
        if spread and shape:
            shape[-1] *= 2
        if self.dtype == "bool":
            value = torch.rand(shape, generator=generator) < 0.5
        elif self.dtype == "i64":
            below = sizes.get(self.below, self.below)
            low, high = (0, below) if below is not None else (-9, 10)
            value = torch.randint(low, high, shape, generator=generator)
        else:
            value = torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
        return value[..., ::2] if spread and shape else value


@dataclasses.dataclass
class Statement:
    """Some lines that set one name."""

    target: str
    text: str
    is_product: bool = False

    def uses(self):
        return set(re.findall(r"\b[a-z]\d*\b", self.text))


@dataclasses.dataclass
class Program:
    parameters: list
    statements: list
    results: list
    #: The shape and dtype of each name at the base sizes.
    kinds: dict

    def text(self):
        names = ", ".join(parameter.name for parameter in self.parameters)
        lines = [line for statement in self.statements for line in statement.text.split("\n")]
        lines.append("return " + ", ".join(self.results))
        return HEADER + f"def f({names}):\n" + "".join(f"    {line}\n" for line in lines)

    def spec(self):
        return ",".join(parameter.spec() for parameter in self.parameters)

    def without_dead(self):
        """Only what the results need."""
        needed, kept = set(self.results), []
        for statement in reversed(self.statements):
            if statement.target in needed:
                kept.append(statement)
                needed |= statement.uses()
        used = [parameter for parameter in self.parameters if parameter.name in needed]
        return Program(used, kept[::-1], self.results, self.kinds)


class Writer:
    """A program that grows; rules ask it for values and add statements."""

    def __init__(self, random, family=None):
        self.random = random
        drawn = random.choices(["f32", "f64", "bf16", "f16", "mixed"], [10, 3, 3, 2, 4])[0]
        self.family = family or drawn
        self.generator = torch.Generator().manual_seed(random.getrandbits(32))
        self.parameters, self.statements = [], []
        self.space = {"torch": torch, "F": torch.nn.functional}
        self.values, self.exact = [], set()

    def choose(self, *options):
        return self.random.choice(options)

    def value(self, name):
        return self.space[name]

    def shape(self, name):
        return tuple(self.space[name].shape)

    def rank(self, name):
        return self.space[name].dim()

    def is_float(self, name):
        return self.space[name].is_floating_point()

    def float_dtype(self):
        return self.choose("f32", "f32", "bf16", "f16") if self.family == "mixed" else self.family

    def add_parameter(self, dtype, sizes, below=None):
        name = "xyzwuvabcdefghij"[len(self.parameters)] if len(self.parameters) < 16 else f"k{len(self.parameters)}"
        parameter = Parameter(name, dtype, tuple(sizes), below)
        self.parameters.append(parameter)
        self.space[name] = parameter.make(SYMBOLS, self.generator)
        self.values.append(name)
        self.exact.add(name)
        return name

    def size_name(self, size):
        """The symbol or number of a size that an argument may have; None for others."""
        for symbol, base in SYMBOLS.items():
            if base == size:
                return symbol
        return size if size in CONSTANTS else None

    def random_sizes(self):
        rank = self.random.choices([1, 2, 3, 4], [3, 8, 5, 1])[0]
        symbols = self.random.sample(sorted(SYMBOLS), min(rank, 3))
        sizes = symbols + [2] * (rank - len(symbols))
        return [self.choose(*CONSTANTS[1:]) if self.random.random() < 0.25 else size for size in sizes]

    def find(self, accepts=lambda name: True, floats=True):
        """A value that the rule accepts, one of the last more often; None where there is none."""
        names = [name for name in self.values if self.is_float(name) == floats or floats is None]
        names = [name for name in names if accepts(name)]
        if not names:
            return None
        return self.random.choices(names, [1 + 3 * (place > len(names) - 3) for place in range(len(names))])[0]

    def find_exact(self, accepts=lambda name: True):
        return self.find(lambda name: name in self.exact and accepts(name))

    def find_like(self, name, floats=True):
        """Another value that broadcasts with this one."""

        def fits(other):
            pairs = zip(reversed(self.shape(name)), reversed(self.shape(other)))
            return other != name and all(a == b or 1 in (a, b) for a, b in pairs)

        return self.find(fits, floats)

    def add(self, text, exact=False, target=None, mark="@"):
        """Runs a statement, the mark standing for the name that it sets; false where it is not taken."""
        name = target or f"t{len(self.statements)}"
        lines = text.replace(mark, name)
        lines = lines if "\n" in lines or mark in text else f"{name} = {lines}"
        before = dict(self.space)
        try:
            exec(lines, self.space)
            self.check(self.space[name])
        except Exception:
            if target:
                raise
            self.space = before
            return False
        self.statements.append(Statement(name, lines))
        if name not in self.values:
            self.values.append(name)
        (self.exact.add if exact else self.exact.discard)(name)
        return True

    def check(self, value):
        if not isinstance(value, torch.Tensor) or value.numel() == 0 or value.numel() > 4000 or value.dim() > 5:
            raise ValueError("not wanted")
        if value.is_floating_point():
            finite = value.detach().double()
            if not bool(torch.isfinite(finite).all()) or float(finite.abs().max()) > 1000:
                raise ValueError("too large")


def has_gradients(program):
    """Whether PyTorch runs it, backwards too."""
    generator = torch.Generator().manual_seed(0)
    inputs = [parameter.make(SYMBOLS, generator) for parameter in program.parameters]
    leaves = [x.requires_grad_() if x.is_floating_point() else x for x in inputs]
    space = {}
    exec(program.text(), space)
    try:
        results = space["f"](*leaves)
        results = results if isinstance(results, tuple) else (results,)
        given = [x for x in results if x.requires_grad]
        torch.autograd.backward(given, [torch.ones_like(x) for x in given])
    except Exception:
        return False
    return bool(given)


def draw(random, family=None, products=False):
    """One attempt at a program."""
    extend = random_products.extend if products else random_rules.extend
    writer = Writer(random, family)
    sizes = writer.random_sizes()
    writer.add_parameter(writer.float_dtype(), sizes)
    for _ in range(random.randint(0, 2)):
        other = sizes[random.randint(0, len(sizes) - 1) :] if random.random() < 0.8 else writer.random_sizes()
        writer.add_parameter(writer.float_dtype(), [1 if random.random() < 0.1 else size for size in other])
    wanted = random.randint(2, 9)
    for _ in range(60):
        if len(writer.statements) >= wanted:
            break
        extend(writer)
    names = {statement.target for statement in writer.statements}
    used = set().union(*(s.uses() - {s.target} for s in writer.statements)) if writer.statements else set()
    ends = [name for name in writer.values if name in names and name not in used]
    random.shuffle(ends)
    kinds = {name: (writer.shape(name), writer.value(name).dtype) for name in writer.values}
    results = ends[:3]
    if results and random.random() < 0.2:
        results.append(random.choice(sorted(names)))
    return Program(writer.parameters, writer.statements, list(dict.fromkeys(results)), kinds).without_dead()


def write(random, family=None, products=False):
    """A program that PyTorch runs, with a gradient; of element types by chance, unless they are given."""
    while True:
        program = draw(random, family, products)
        if products and not any(statement.is_product for statement in program.statements):
            continue
        if program.statements and program.results and has_gradients(program):
            return program
