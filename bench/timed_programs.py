# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program of a folder and its emitted file: what a call is, what it must move, how far its results are off.

A folder holds one file a program: a function or a module, `get_inputs()` at the timed sizes and `get_init_inputs()`. Lines
at its start say what cannot be read off:

    # program: NAME           the one that is meant, where the file has several
    # constants: NAME, ...    inputs that need no gradient (targets, positions)
    # only forward            it is not timed with gradients
    # random                  two calls differ in training: it is compared in eval mode alone
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
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "test/outside"))  # the bound and the parameters of the judges

#: How many more inputs tell PyTorch's own error where a file seems wrong: of few elements it may be right by luck.
MORE_INPUTS = 24
#: How many elements are compared at once, which takes ten numbers in float64 for each.
PART = 1 << 24


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
        self.get_inputs = source["get_inputs"]
        with self.device:
            self.inputs = list(self.get_inputs())
            self.arguments = list(source.get("get_init_inputs", list)())
            self.original = self._construct(source[self.marks.name])
        if isinstance(self.original, torch.nn.Module):
            self._randomise()
        called = self.original.forward if isinstance(self.original, torch.nn.Module) else self.original
        self.names = list(inspect.signature(called).parameters)
        floats = [i for i, x in enumerate(self.inputs) if x.is_floating_point()]
        backward = way == "backward"
        self.leaves = [i for i in floats if backward and self.names[i] not in self.marks.constants]
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
        """The largest error of any result or gradient over what is allowed, and the share of elements beyond it."""
        found = self.find_errors(emitted).values()
        return max((error for error, _ in found), default=0.0), max((share for _, share in found), default=0.0)

    def find_errors(self, emitted):
        """By name of a result, a gradient or what the call wrote, the error over what is allowed and the share beyond.

        Copies are compared that have random parameters and statistics, modules in eval mode and, where that differs, in
        training; with gradients also what runs where none is wanted. The bound is that of all judges
        (test/outside/bound.py).
        """
        import parameters
        import torch

        original = self.original
        with torch.random.fork_rng():
            torch.manual_seed(1)
            if not isinstance(original, torch.nn.Module):
                return self._find_errors(original, emitted)
            original, emitted = parameters.copied(original), parameters.copied(emitted)
            trains = not self.marks.is_random and all(part.training for part in original.modules())
            original.eval()
            parameters.randomize(original, lambda: self.inputs, self._count_nan)
            parameters.load_command_line()._copy_state(original, emitted)
            errors = self._find_errors(original, emitted, False)
            if trains and self._differs_in_training(original):
                errors |= self._find_errors(original, emitted, True)
            return errors

    def _differs_in_training(self, module):
        """Whether a module in eval mode gives or keeps anything else in training."""
        import torch

        in_eval, in_training = (self._compute(module.train(trains), self.inputs, False) for trains in (False, True))
        same = in_eval.keys() == in_training.keys()
        return not same or not all(torch.equal(x, in_training[name]) for name, x in in_eval.items())

    def _count_nan(self, module, inputs):
        """How many results are NaN; infinitely many where the module raises."""
        try:
            found = self._compute(module, inputs, False)
        except (ArithmeticError, IndexError, RuntimeError, ValueError):
            return math.inf
        return sum(int(x.isnan().sum()) for x in found.values())

    def _find_errors(self, original, emitted, trains=False):
        import torch

        modules = [x for x in (original, emitted) if isinstance(x, torch.nn.Module)]
        for module in modules:
            module.train(trains)
        backward, errors = self.way == "backward", {}
        own, exact = self._compute_both(original, self.inputs)
        own_errors = {name: get_own_error(own[name], exact[name]) for name in own}
        for graded in (True, False) if backward else (False,):
            place = ", without gradients" * (backward and not graded) + ", in training" * trains
            found = self._compute(emitted, self.inputs, graded)
            expected = [name for name in own if graded or not name.startswith("gradient")]
            if sorted(found) != sorted(expected):
                return {f"results {sorted(found)}, expected {sorted(expected)}{place}": (math.inf, 1.0)}

            def compare_all():
                return {name: compare(found[name], own[name], exact[name], own_errors[name]) for name in expected}

            compared = compare_all()
            for seed in range(MORE_INPUTS):
                if all(0 <= error <= 1 for error, _ in compared.values()):
                    break
                self._note_own_errors(original, seed, own_errors)
                compared = compare_all()
            errors |= {name + place: error for name, error in compared.items()}
        return errors

    def _note_own_errors(self, original, seed, own_errors):
        """Raises PyTorch's own errors to those of other inputs."""
        import torch

        torch.manual_seed(2 + seed)
        with self.device:
            inputs = list(self.get_inputs())
        try:
            own, exact = self._compute_both(original, inputs)
        except (ArithmeticError, IndexError, RuntimeError, ValueError):
            return
        for name in own_errors.keys() & own.keys():
            own_errors[name] = max(own_errors[name], get_own_error(own[name], exact[name]))

    def _compute_both(self, original, inputs):
        """What PyTorch makes of inputs in their types, and in float64."""
        graded = self.way == "backward"
        return self._compute(original, inputs, graded), self._compute(original, inputs, graded, is_wide=True)

    def _compute(self, function, inputs, graded, is_wide=False):
        """By name the results of a call on copies, the inputs and buffers that it wrote to, and the gradients."""
        import parameters
        import torch

        if module := isinstance(function, torch.nn.Module):
            function = parameters.copied(function)
            function = parameters.load_command_line()._widen(function) if is_wide else function
        inputs = [copy_of(x, is_wide) for x in inputs]
        for i in self.leaves if graded else ():
            inputs[i].requires_grad_()
        versions = [x._version for x in inputs]
        with torch.set_grad_enabled(graded), make_wide_mode() if is_wide else contextlib.nullcontext():
            results = flatten(function(*inputs))
        made = {f"result {i}": x.detach() for i, x in enumerate(results)}
        written = {name: x for name, x, version in zip(self.names, inputs, versions) if x._version != version}
        made |= {f"{name} as it is left": x.detach() for name, x in written.items()}
        if module and function.training:
            kept = sorted(function.state_dict().keys() & dict(function.named_buffers()).keys())
            made |= {f"buffer {name}": function.get_buffer(name) for name in kept}
        if not graded:
            return made
        leaves = {self.names[i]: inputs[i] for i in self.leaves}
        if module:
            leaves |= {f"self.{name}": x for name, x in function.named_parameters() if x.requires_grad}
        given = [results[i] for i in self.seeds]
        seeds = [seed.to(x.dtype) for x, seed in zip(given, self.seeds.values())]
        # That a result has a gradient shows too.
        made |= {f"gradient through result {i}": torch.ones(()) for i, x in enumerate(results) if x.requires_grad}
        with make_wide_mode() if is_wide else contextlib.nullcontext():
            gradients = torch.autograd.grad(given, list(leaves.values()), seeds, allow_unused=True)
        for (name, leaf), gradient in zip(leaves.items(), gradients):
            made[f"gradient of {name}"] = torch.zeros_like(leaf) if gradient is None else gradient
        return made


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


def copy_of(tensor, is_wide=False):
    """The elements with the same strides in memory of their own; floats in float64, where that is wanted."""
    import torch

    memory = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(tensor.untyped_storage())
    memory = memory.double() if is_wide and tensor.is_floating_point() else memory.clone()
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def split(*tensors):
    """Parts of them that lie at the same places."""
    flat = [x.detach().reshape(-1) for x in tensors]
    return zip(*(x.split(PART) for x in flat))


def get_own_error(own, true):
    """PyTorch's own error, by which the bound is set."""
    import bound

    return max((bound.get_error(*part) for part in split(own, true)), default=0.0)


def compare(found, own, true, own_error):
    """The largest error of a result over what is allowed, and the share of elements beyond."""
    import bound
    import torch

    if found.shape != own.shape or found.dtype != own.dtype:
        return math.inf, 1.0
    worst, beyond = 0.0, 0
    for mine, theirs, exact in split(found, own, true):
        if not found.is_floating_point():
            count = int((mine != theirs).sum())
            worst, beyond = math.inf if count else worst, beyond + count
            continue
        worst = max(worst, bound.get_ratio(mine, exact, theirs, own_error))
        if bound.compare(mine, exact, theirs, own_error):
            value, exact = mine.double(), exact.double()
            finite = torch.isfinite(value) & torch.isfinite(exact)
            error, allowed = bound.get_errors(value, exact, mine.dtype, own_error, finite)
            count = int((error > allowed).sum())
            # Infinities or NaN stand elsewhere.
            worst, beyond = (worst, beyond + count) if worst > 1 else (math.inf, beyond + max(count, 1))
    return worst, beyond / max(found.numel(), 1)


def load_module(path):
    """The names of an emitted file; Triton finds the text of its kernels by its path."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)
