# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program of a folder and its emitted file: what a call is, what it must move, how far its results are off.

A folder holds one file a program: a function or a module, `get_inputs()` at the timed sizes and `get_init_inputs()`. Lines
at its start say what cannot be read off:

    # program: NAME           the one that is meant, where the file has several
    # constants: NAME, ...    inputs that need no gradient (targets, positions)
    # only forward            it is not timed with gradients
    # random                  two calls differ: it is compared in eval mode
    # refused: TEXT           the conversion is refused with this text
    # open: NAME, ...         kernels of its gradient of which not every access is proved
    # surveyed: NAME          a program of bench/survey, which was tuned on, computes much the same
    # small: 384=11 512=13    these numbers of `get_inputs()` and `get_init_inputs()` are changed for small sizes, to these
"""

import ast
import contextlib
import inspect
import math
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Marks:
    """What the text of a program's file says of it."""

    def __init__(self, path):
        def find(key):
            found = re.search(rf"^# {key}: (.*)$", text, re.MULTILINE)
            return found[1].strip() if found else ""

        text = path.read_text()
        public = [node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        self.name = find("program") or next(name for name in public if not name.startswith("get_"))
        self.constants = [name.strip() for name in find("constants").split(",") if name.strip()]
        self.is_forward = "\n# only forward\n" in text
        self.is_random = "\n# random\n" in text
        self.refused = find("refused")
        self.surveyed = find("surveyed")
        self.open = {name.strip() for name in find("open").split(",") if name.strip()}
        self.small = {int(a): int(b) for a, b in (pair.split("=") for pair in find("small").split())}


def read_source(path, is_small):
    """The names of a program's file; if asked for, with small sizes in place of those of `get_inputs()` alone.

    A number above 20 that stands nowhere else becomes a small multiple of its factors among 2 and 7. Greater numbers
    stay greater, so that indices stay within their tables. Where the file says small sizes they stand for those of
    `get_init_inputs()` too.
    """
    tree = ast.parse(path.read_text())
    if is_small:
        small, last = dict(Marks(path).small), 3
        makers = ("get_inputs", "get_init_inputs") if small else ("get_inputs",)
        places = [node for maker in tree.body if getattr(maker, "name", "") in makers for node in ast.walk(maker)]
        inside = [node for node in places if isinstance(node, ast.Constant) and type(node.value) is int]
        own = {id(node) for node in inside}
        elsewhere = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in own}
        for number in sorted({node.value for node in inside} - elsewhere):
            if number > 20 and not Marks(path).small:
                base = math.prod(factor for factor in (2, 7) if number % factor == 0)
                small[number] = last = (last // base + 1) * base
        for node in inside:
            node.value = small.get(node.value, node.value)
    names = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(tree, str(path), "exec"), names)
    return names


def flatten(result):
    """The tensors of a result, in order."""
    if isinstance(result, dict):
        result = result.values()
    if isinstance(result, (tuple, list)) or not hasattr(result, "is_floating_point"):
        return [x for part in result or () for x in flatten(part)]
    return [result]


def size_in_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


class Program:
    """A program with its inputs on a device, in one way (`forward` or `backward`)."""

    def __init__(self, path, way, device="cuda", is_small=False):
        import torch

        torch.manual_seed(0)
        self.marks, self.way, self.device = Marks(path), way, torch.device(device)
        source = read_source(path, is_small)
        with self.device:
            self.inputs = list(source["get_inputs"]())
            self.arguments = list(source.get("get_init_inputs", list)())
            self.original = self._construct(source[self.marks.name])
        if isinstance(self.original, torch.nn.Module):
            self._randomise()
        called = self.original.forward if isinstance(self.original, torch.nn.Module) else self.original
        names = list(inspect.signature(called).parameters)
        floats = [i for i, x in enumerate(self.inputs) if x.is_floating_point()]
        backward = way == "backward"
        self.leaves = [i for i in floats if backward and names[i] not in self.marks.constants]
        for i in self.leaves:
            self.inputs[i].requires_grad_()
        self.seeds = {}
        if backward:
            results = flatten(self.original(*self.inputs))
            self.seeds = {i: torch.randn_like(t) for i, t in enumerate(results) if t.requires_grad}

    def _construct(self, program):
        return program(*self.arguments) if isinstance(program, type) else program

    def _randomise(self):
        """Parameters at their defaults (ones and zeros) would hide what is done with them."""
        import torch

        with torch.no_grad():
            for parameter in self.original.parameters():
                noise = torch.randn(parameter.shape, device=self.device).to(parameter.dtype)
                parameter.mul_(1 + 0.1 * noise).add_(0.01 * noise)

    def load_emitted(self, path):
        """What the emitted file exports, with the parameters of the original."""
        import torch

        with self.device:
            emitted = self._construct(load_module(path)[self.marks.name])
        if isinstance(emitted, torch.nn.Module):
            emitted.load_state_dict(self.original.state_dict())
        return emitted

    def get_parameters(self, function):
        return [p for p in getattr(function, "parameters", list)() if p.requires_grad]

    def bind(self, function):
        """What is timed: a function of the inputs."""
        import torch

        if self.way == "forward":

            def run(*inputs):
                with torch.no_grad():
                    return flatten(function(*inputs))

            return run
        parameters = self.get_parameters(function)

        def run_with_gradients(*inputs):
            results = flatten(function(*inputs))
            leaves = [inputs[i] for i in self.leaves] + parameters
            seeds = [seed.to(results[i].dtype) for i, seed in self.seeds.items()]
            return torch.autograd.grad([results[i] for i in self.seeds], leaves, seeds)

        return run_with_gradients

    def get_least_bytes(self):
        """Each input and result once; with gradients also those that come in and go out, and inputs they depend on."""
        import torch

        parameters = self.get_parameters(self.original)
        with torch.no_grad():
            results, written = self._get_outcome(self.original, self.inputs)
        least = size_in_bytes([*self.inputs, *parameters, *results, *written])
        if self.way == "forward":
            return least
        least += size_in_bytes([*self.seeds.values(), *(self.inputs[i] for i in self.leaves), *parameters])
        return least + (0 if self.marks.is_random else size_in_bytes(self._get_read_again()))

    def _get_outcome(self, function, inputs):
        """The results of a call on copies of the inputs, and the copies that it wrote to."""
        copies = [x.detach().clone() for x in inputs]
        versions = [x._version for x in copies]
        results = flatten(function(*copies))
        return results, [x for x, version in zip(copies, versions) if x._version != version]

    def _get_read_again(self):
        """The inputs on which a gradient depends, found by changing each."""
        import torch

        run = self.bind(self.original)
        before, needed = run(*self.inputs), []
        for i, old in enumerate(self.inputs):
            changed = old.detach().flip(-1) if old.dim() else old.detach() + 1
            inputs = [*self.inputs[:i], changed.requires_grad_(old.requires_grad), *self.inputs[i + 1 :]]
            if any(not torch.equal(a, b) for a, b in zip(before, run(*inputs))):
                needed.append(old)
        return needed

    def get_error(self, emitted):
        """The largest error over what is allowed, and the share of elements beyond it.

        What is allowed is four times eager's largest error in that result, or two units in the last place. One element in
        10 000 may lie beyond, as where a comparison or a tie in float64 falls otherwise than in the program's precision.
        """
        import copy

        import torch

        module = isinstance(self.original, torch.nn.Module)
        exact = copy.deepcopy(self.original).double() if module else self.original
        functions = (emitted, self.original, exact)
        with contextlib.ExitStack() as stack:
            for function in functions if module and self.marks.is_random else ():
                stack.callback(function.train, function.training)
                function.eval()
            found, own = (self._compute(function, self.inputs) for function in functions[:2])
            wide = [x.detach().double() if x.is_floating_point() else x for x in self.inputs]
            for i in self.leaves:
                wide[i].requires_grad_()
            with make_wide_mode():
                true = self._compute(exact, wide)
        if not len(found) == len(own) == len(true):
            return float("inf"), 1.0
        pairs = [compare(*each) for each in zip(found, own, true)]
        return max(ratio for ratio, _ in pairs), max(share for _, share in pairs)

    def _compute(self, function, inputs):
        import torch

        if self.way == "backward":
            return self.bind(function)(*inputs)
        with torch.no_grad():
            results, written = self._get_outcome(function, inputs)
        return results + written


def make_wide_mode():
    """Casts to float32 keep float64; those to halves, which the program means, round, and what follows is float64 again."""
    import torch
    from torch.overrides import TorchFunctionMode

    def widen(value):
        return torch.float64 if value is torch.float32 else value

    class Wide(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = {name: widen(value) for name, value in (kwargs or {}).items()}
            function = torch.Tensor.double if function is torch.Tensor.float else function
            result = function(*map(widen, args), **kwargs)
            is_half = isinstance(result, torch.Tensor) and result.dtype in (torch.float16, torch.bfloat16)
            return result.double() if is_half else result

    return Wide()


def compare(found, own, true):
    """The largest error of a result over what is allowed, but for one element in 10 000, and the share beyond."""
    import torch

    if found.shape != own.shape or found.dtype != own.dtype:
        return float("inf"), 1.0
    if not found.numel():
        return 0.0, 0.0
    if not found.is_floating_point():
        # Where a tie falls otherwise in float64, eager differs from it too.
        share, own_share = ((result != true).double().mean().item() for result in (found, own))
        return (0.0 if share <= max(1e-4, 4 * own_share) else float("inf")), share
    distance = own.double().sub_(true).abs_()
    allowed = 4 * distance[distance.isfinite()].amax() if distance.isfinite().any() else 0.0
    ratio = found.double().sub_(true).abs_()
    ratio /= torch.clamp(2 * torch.finfo(found.dtype).eps * true.abs(), min=torch.finfo(found.dtype).tiny).clamp_(
        min=allowed
    )
    ratio[(found == true) | (found.isnan() & true.isnan())] = 0.0
    ratio.nan_to_num_(nan=float("inf"), posinf=float("inf"))
    share = (ratio > 1).double().mean().item()
    if share <= 1e-4:
        ratio[ratio > 1] = 1.0
    return ratio.amax().item(), share


def load_module(path):
    """The names of an emitted file; Triton finds the text of its kernels by its path."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)
