# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a fault in an emitted file is noticed: by upstream's interpreter against PyTorch in float64, and by ours.

The cases of a program are those of mutant_programs.py: odd sizes, several patterns of values, inputs that are not
contiguous, the long ways (with the wrappers' bounds and the blocks lowered), with gradients and without.
"""

import dataclasses
import json
import pathlib
import re
import subprocess
import warnings

import run_interpreter as runner  # before triton
import checked_launches as launches
import numpy
import torch

import cases
import kernel_mutations
import loading
import lowering
import own_interpreter as own
import parameters
from limits import limited

#: PyTorch's own error is taken over this many inputs, and over more before the file itself is called wrong.
SAMPLES, MORE_SAMPLES = 4, 16
SECONDS = 60
#: Elements of a block of a lowered map.
FLAT = 64
#: So many launches of a kernel are run by our interpreter.
LAUNCHES = 4
#: A choice by masks alone, which hang on no data.
MASKED_SELECT = re.compile(r"tl\.where\((?:\w*mask\w*(?:\[[^\]]*\])?(?: & )?)+, ")


def make_values(tensor, pattern, generator):
    if not tensor.is_floating_point():
        return tensor
    if pattern == "tiny":
        scales = torch.tensor([1e-3, 1e-6, 1e-5], dtype=tensor.dtype)
        rows = torch.arange(tensor.shape[0] if tensor.dim() else 1) % 3
        return tensor * scales[rows].reshape(-1, *(1,) * (tensor.dim() - 1)) if tensor.dim() else tensor
    if pattern == "wide":
        return tensor * 40 + spikes(tensor)
    if pattern == "signs":
        signs = 1 - 2 * (torch.arange(tensor.shape[0] if tensor.dim() else 1) % 2)
        return tensor.abs() * signs.to(tensor.dtype).reshape(-1, *(1,) * (tensor.dim() - 1)) if tensor.dim() else tensor
    if pattern == "offset":
        return tensor + 1000
    if pattern == "ties":
        # A line of zeros among them: norms of 0, nothing to divide by.
        whole = tensor.round()
        whole[: int(tensor.dim() > 1)] = 0
        return whole
    if pattern == "masked":
        gone = torch.rand(tensor.shape, generator=generator) < 0.5
        # Whole blocks before the first number.
        if tensor.dim() > 1 and tensor.numel():
            gone.reshape(-1, tensor.shape[-1])[0] = torch.arange(tensor.shape[-1]) < tensor.shape[-1] // 2
        return tensor.masked_fill(gone, -float("inf"))
    if pattern == "special" and tensor.numel():
        flat = tensor.flatten()
        for place in torch.randint(0, tensor.numel(), (tensor.numel() // 40 + 1,), generator=generator).tolist():
            flat[place] = [float("inf"), -float("inf"), float("nan"), -0.0][place % 4]
        return flat.reshape(tensor.shape)
    return tensor


def spikes(tensor):
    """A number far above all others in each line of the last axis, in the first line at its end."""
    added = torch.zeros_like(tensor)
    if tensor.dim() and tensor.numel():
        lines = added.reshape(-1, tensor.shape[-1])
        rows = torch.arange(lines.shape[0])
        lines[rows, (tensor.shape[-1] - 1 - 5 * rows) % tensor.shape[-1]] = 300
    return added


def fit(tensor, domain, pattern, sizes, generator):
    """The values as the domain of an input wants them; a symbol there: different indices below its size or from its end."""
    if domain == "positive":
        return tensor.abs() + 0.01 if pattern != "tiny" else tensor.abs() * 1e-12
    if domain in sizes:
        drawn = torch.randperm(sizes[domain], generator=generator)[: tensor.numel()]
        drawn[1::3] -= sizes[domain]
        return drawn.reshape(tensor.shape)
    return tensor


def spread(tensor, place):
    """The same values in memory that is not row-major: every second element, transposed, or inside of more."""
    if tensor.dim() == 0:
        return tensor
    if place % 3 == 1 and tensor.dim() > 1:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    # Lines of odd length for odd sizes, of even length for even ones: a kernel may count on what divides all of its numbers.
    size = tensor.shape[-1]
    wider = torch.zeros(*tensor.shape[:-1], 2 * size + 1 + (size % 2 == 0), dtype=tensor.dtype)
    wider[..., 1 : 2 * size : 2] = tensor
    return wider[..., 1 : 2 * size : 2]


def make_inputs(program, sizes, pattern, is_spread, seed):
    generator = torch.Generator().manual_seed(seed)
    spec = re.sub(r"\b[A-Z]\b", lambda found: str(sizes[found[0]]), program.spec)
    made, parsed = {}, cases.parse(spec, "normal", seed)
    # The last place that an index may name is among them, and the first.
    for name, below in re.findall(r"(\w+)=i64\[[^\]]+\]<(\d+)", spec):
        if parsed[name].numel():
            parsed[name].view(-1)[-1] = 0
            parsed[name].view(-1)[0] = int(below) - 1
    rank = max(tensor.dim() for tensor in parsed.values())
    for place, (name, tensor) in enumerate(parsed.items()):
        # Weights stay finite: of infinities among them PyTorch's order of operators makes NaN or not.
        is_data = tensor.dim() == rank or pattern not in ("special", "masked")
        tensor = fit(
            make_values(tensor, pattern if is_data else "normal", generator),
            program.domains.get(name),
            pattern,
            sizes,
            generator,
        )
        made[name] = spread(tensor, place + program.place(pattern)) if is_spread else tensor
    return made | program.choose_numbers(pattern, is_spread)


@dataclasses.dataclass
class Case:
    label: str
    pattern: str
    is_lowered: bool
    is_spread: bool
    training: bool
    inputs: dict
    cotangents: dict
    own: dict
    exact: dict
    errors: dict
    sizes: dict = dataclasses.field(default_factory=dict)
    #: The kernels that run in it.
    ran: set = dataclasses.field(default_factory=set)


def copy_module(module, case, wide):
    """A module of the case's own, whose parameters are no more contiguous than its inputs are."""
    module = parameters.copied(module).train(case.training)
    module = parameters.load_command_line()._widen(module) if wide else module
    if case.is_spread:
        for part in module.modules():
            for name, tensor in (*part._parameters.items(), *part._buffers.items()):
                if tensor is not None and tensor.dim():
                    tensor.data = spread(tensor.data, 0)
    return module


def call(program, case, cotangents, with_gradient, wide=False):
    """Results, what becomes of inputs and buffers, and gradients, by name; draws the gradients of results."""
    if isinstance(program, torch.nn.Module):
        program = copy_module(program, case, wide)
    leaves = {}

    def leaf(name, x):
        if not isinstance(x, torch.Tensor):
            return x
        leaves[name] = runner.to_float64(x) if wide else runner.clone(x)
        return leaves[name].requires_grad_(with_gradient and x.is_floating_point())

    inputs = {name: leaf(name, x) for name, x in case.inputs.items()}
    with torch.set_grad_enabled(with_gradient), runner.StayWide() if wide else runner.ScanInOrder():
        results = [x for x in runner.flatten(runner.apply(program, inputs)) if isinstance(x, torch.Tensor)]
        given = {n: x for n, x in enumerate(results) if x.requires_grad}
        for number, x in given.items():
            if number not in cotangents:
                drawn = torch.randn(x.shape).to(x.dtype)
                # Gradients of 0, and equal ones.
                cotangents[number] = drawn.round() if case.pattern in ("ties", "masked") else drawn
        if given:
            gradients = [cotangents[number].to(x.dtype) for number, x in given.items()]
            torch.autograd.backward([*given.values()], gradients)
    made = {f"result {number}": x.detach() for number, x in enumerate(results)}
    made |= {f"input {name}": x.detach() for name, x in leaves.items()}
    if isinstance(program, torch.nn.Module):
        made |= {f"buffer {name}": x.clone() for name, x in program.named_buffers()}
        leaves |= dict(program.named_parameters())
    return made | {f"gradient of {n}": x.grad for n, x in leaves.items() if with_gradient and x.is_floating_point()}


def run(program, case, has_gradient, wide=False):
    """A call as inference makes it, and one with gradients."""
    made = call(program, case, {}, False, wide)
    if has_gradient:
        both = call(program, case, case.cotangents, True, wide)
        made |= {f"with gradients, {name}": x for name, x in both.items()}
    return made


def note_errors(errors, own, exact):
    for name, value in own.items():
        if value is not None and exact.get(name) is not None:
            errors[name] = max(errors.get(name, 0.0), runner.get_error(value, exact[name]))


def compare(found, case):
    if found.keys() != case.own.keys():
        return f"found {sorted(found)}, expected {sorted(case.own)}"
    for name, theirs in case.own.items():
        value, exact = found[name], case.exact[name]
        if theirs is None or value is None:
            problem = "" if theirs is value else f"found {value}, expected {theirs}"
        else:
            problem = runner.compare(value, exact, theirs, case.errors.get(name, 0.0))
        if problem:
            return f"{name}: {problem}"
    return ""


def lower(text, block):
    """The file with small blocks, whose wrappers take loops where rows do not fit one: see lowering.lower.

    Blocks of one column grow: a sum over one lane is its maximum. Maps have more than one program.
    """
    text = re.sub(r'("BLOCK_\w+": )4\b', rf"\g<1>{block}", lowering.lower(text))
    text = re.sub(r'("BLOCK_N": )[12]\b', rf"\g<1>{block}", text)
    text = re.sub(r'(\{"BLOCK": )(\d+)', lambda found: f"{found[1]}{min(int(found[2]), FLAT)}", text)
    looped = {name for name, body in functions(text).items() if re.search(r"\brange\([^\n]*, BLOCK_N\)", body)}

    def lower_launch(found):
        """A block that the grid counts with stays, and one that holds a whole row."""
        launch = text[: found.start()].rpartition("kernel[")
        name = re.search(r"\w*$", launch[0])[0] + "kernel"
        grid = launch[2].partition("](")[0]
        return found[0] if name not in looped or re.search(rf"\b{found[1]}\b", grid) else f"BLOCK_N={block}"

    return re.sub(r"\bBLOCK_N=(\d{3,})\b", lower_launch, text)


def functions(text):
    """The text of each function of a file, by name."""
    parts = re.split(r"^def (\w+)\(", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


class Judge:
    """One program: its file, its cases, and the launches of the file as it is."""

    def __init__(self, binary, root, program, folder):
        self.binary, self.root, self.program = binary, root, program
        self.folder, self.count, self.left_out = pathlib.Path(folder), 0, []
        report = self.convert()
        self.text = pathlib.Path(report["files"][0]["path"]).read_text()
        self.name = report["program"]
        source = loading.load(root / program.path)
        self.original, self.init = getattr(source, self.name), getattr(source, "get_init_inputs", list)()
        if isinstance(self.original, type):
            torch.manual_seed(0)
            self.original = self.original(*self.init)
            parameters.randomize(self.original, lambda: make_inputs(program, program.sizes[0], "normal", False, 0))
        self.cases = [case for case in self.make_cases() if case]
        self.launches, self.prepared = {}, {}
        self.judge_itself()

    def convert(self):
        program = self.program
        command = [self.binary, "convert", program.path, "--stage", str(program.stage), "--json"]
        command += ["--backward"] * program.backward + ["-o", str(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.root)
        if done.returncode:
            raise SystemExit(f"{program.path}: {done.stderr.strip()[:600]}")
        return json.loads(done.stdout)

    def make_cases(self):
        first, *others = self.program.sizes
        patterns = self.program.patterns
        for is_lowered in (False, True):
            for place, pattern in enumerate(patterns):
                yield self.make_case(first, pattern, (place % 2 == 1) != is_lowered, is_lowered, False)
            for place, sizes in enumerate(others):
                for number, pattern in enumerate(("signs", *patterns[4:])):
                    yield self.make_case(sizes, pattern, ((place + number) % 2 == 0) != is_lowered, is_lowered, False)
            for sizes in self.program.long if is_lowered else self.program.large:
                yield self.make_case(sizes, "normal", False, is_lowered, False)
            for sizes in () if is_lowered else self.program.large:
                yield self.make_case(sizes, "normal", True, False, self.program.training)
            if self.program.training:
                for place, sizes in enumerate(self.program.sizes):
                    yield self.make_case(sizes, "normal", place % 2 == 1, is_lowered, True)

    def make_case(self, sizes, pattern, is_spread, is_lowered, training):
        label = f"{' '.join(f'{n}={s}' for n, s in sizes.items())} {pattern}"
        label += " spread" * is_spread + " lowered" * is_lowered + " training" * training
        case = None
        for seed in range(SAMPLES):
            drawn = self.draw(label, pattern, is_lowered, is_spread, training, sizes, seed)
            case = case or drawn
            note_errors(case.errors, drawn.own, drawn.exact)
        case.sizes = sizes
        return case

    def draw(self, label, pattern, is_lowered, is_spread, training, sizes, seed):
        """One sample of a case, and what PyTorch makes of it."""
        torch.manual_seed(seed)
        inputs = make_inputs(self.program, sizes, pattern, is_spread, seed)
        drawn = Case(label, pattern, is_lowered, is_spread, training, inputs, {}, {}, {}, {})
        drawn.own = run(self.original, drawn, self.program.backward)
        drawn.exact = run(self.original, drawn, self.program.backward, wide=True)
        if is_spread:
            drawn.cotangents = {n: spread(x, n) for n, x in drawn.cotangents.items()}
        return drawn

    def look_further(self, case):
        """PyTorch's own error over more samples: of one sum that four samples show it may be small by chance."""
        for seed in range(SAMPLES, SAMPLES + MORE_SAMPLES):
            drawn = self.draw(case.label, case.pattern, case.is_lowered, case.is_spread, case.training, case.sizes, seed)
            note_errors(case.errors, drawn.own, drawn.exact)

    def judge_itself(self):
        """Cases in which the file itself is not right judge nothing; what is left of them is told."""
        kept = []
        for is_lowered in (False, True):
            emitted = self.load(self.text, is_lowered)
            for case in self.cases:
                if case.is_lowered != is_lowered:
                    continue
                launches.WATCH.ran = set()
                with launches.recorded() as records:
                    problem = self.judge_case(emitted, case)
                    if problem:
                        self.look_further(case)
                        problem = self.judge_case(self.load(self.text, is_lowered), case)
                case.ran = set(launches.WATCH.ran)
                if problem:
                    self.left_out.append(f"{case.label}: {problem}")
                    continue
                kept.append(case)
                for launch in records.values():
                    self.launches.setdefault(launch.kernel, []).append(launch)
        self.cases = kept

    def load(self, text, is_lowered):
        self.count += 1
        path = self.folder / f"variant{self.count}.py"
        path.write_text(lower(text, self.program.block) if is_lowered else text)
        emitted = getattr(loading.load(path), self.name)
        if isinstance(emitted, type):
            emitted = emitted(*self.init)
            parameters.load_command_line()._copy_state(self.original, emitted)
        return emitted

    def judge_case(self, emitted, case):
        try:
            with warnings.catch_warnings(), limited(SECONDS), launches.filled_with_nan(), numpy.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return compare(run(emitted, case, self.program.backward), case)
        except Exception as error:
            return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"

    def reaches(self, kernel):
        """The kernels that run a function of the file: itself, or those that name it."""
        pattern = re.compile(rf"\b{re.escape(kernel)}\b")
        bodies = re.split(r"\n\n\n", self.text)
        named = {
            found[1] for body in bodies if pattern.search(body) for found in re.finditer(r"^def (\w+)\(", body, re.M)
        }
        return named | {kernel}

    def judge_upstream(self, fault):
        """Why upstream's interpreter notices the fault; empty where it does not."""
        text, kernels = fault.apply(self.text), self.reaches(fault.kernel)
        for is_lowered in (False, True):
            concerned = [case for case in self.cases if case.is_lowered == is_lowered and case.ran & kernels]
            if not concerned:
                continue
            try:
                emitted = self.load(text, is_lowered)
            except Exception as error:
                return f"{type(error).__name__}: {str(error)[:200]}"
            for case in concerned:
                problem = self.judge_case(emitted, case)
                if problem:
                    return f"{case.label}: {problem}"
        return ""

    def concerned_launches(self, kernel, most=LAUNCHES):
        """Some launches that run a function, of sizes as different as there are."""
        found = [launch for name in sorted(self.reaches(kernel)) for launch in self.launches.get(name, ())]
        found.sort(key=lambda launch: sum(x.numel() for x in launch.arguments.values() if isinstance(x, torch.Tensor)))
        if len(found) <= most:
            return found
        return [found[place * (len(found) - 1) // (most - 1)] for place in range(most)]

    def prepare_signs(self, launch):
        """The launch, and the same with all numbers negative and all positive: padding with zeros is not one of them."""
        found = [self.prepare(launch)]
        for sign in (-1, 1) if found[0] else ():
            given = {
                name: sign * x.abs() if isinstance(x, torch.Tensor) and x.is_floating_point() else x
                for name, x in launch.arguments.items()
            }
            folder = self.folder / f"launch{len(self.prepared)}{'-+'[sign > 0]}"
            key = (id(launch), sign)
            if key not in self.prepared:
                self.prepared[key] = own.Arguments(dataclasses.replace(launch, arguments=given), folder)
            found.append(self.prepared[key])
        return [arguments for arguments in found if arguments]

    def prepare(self, launch):
        """The launch for our interpreter; None where that refuses or reports the file as it is."""
        key = id(launch)
        if key not in self.prepared:
            arguments = own.Arguments(launch, self.folder / f"launch{len(self.prepared)}")
            found = own.run_checked(self.binary, self.write(self.text), arguments)
            self.prepared[key] = None if found else arguments
            if found:
                self.left_out.append(f"nereid run --check of {launch.kernel}: {found}")
        return self.prepared[key]

    def judge_ours(self, fault):
        """Why our interpreter notices the fault, its memory checked."""
        if fault.kind in ("grid", "argument"):
            return ""
        path = self.write(fault.apply(self.text))
        for launch in self.concerned_launches(fault.kernel):
            arguments = self.prepare(launch)
            found = own.run_checked(self.binary, path, arguments) if arguments else ""
            if found:
                return f"{launch.kernel}: {found}"
        return ""

    def write(self, text):
        self.count += 1
        path = self.folder / f"variant{self.count}.py"
        path.write_text(text)
        return path

    def prove(self, fault):
        """(how, why) the fault is none; nothing where nothing shows it."""
        if fault.kind in ("grid", "argument"):
            return "", ""
        concerned = self.concerned_launches(fault.kernel, most=12)
        prepared = [arguments for arguments in map(self.prepare, concerned) if arguments]
        before, after = self.write(self.text), self.write(fault.apply(self.text))
        readings = [
            [own.read_kernel(self.binary, path, arguments) for path in (before, after)] for arguments in prepared
        ]
        if readings and all(first is not None and first == second for first, second in readings):
            return "proved", "the same tile IR"
        if fault.kind == "neutral":
            return self.show_unused(fault, prepared, concerned)
        if (
            fault.kind == "select"
            and MASKED_SELECT.match(fault.before)
            and self.stores_the_same(fault.after, fault, concerned)
        ):
            return (
                "shown",
                "what is masked is that already: the same bits are stored, infinities and NaN among the data",
            )
        return "", ""

    def show_unused(self, fault, prepared, concerned):
        """Whether nothing that is stored hangs on what a load holds in its masked lanes; some launch must have such lanes."""
        without = self.write(kernel_mutations.drop_keywords(self.text, fault, "other"))
        unmasked = self.write(kernel_mutations.drop_keywords(self.text, fault, "other", "mask"))
        if not any(own.run_checked(self.binary, unmasked, arguments) for arguments in prepared):
            return "", ""
        if not any(own.run_checked(self.binary, without, arguments) for arguments in prepared):
            return "proved", "undefined in the masked lanes, and no such lane is used"
        numbers = ("1.0", "-1.0", "1e15") if "." in fault.before or "inf" in fault.before else ("1", "-1", "77")
        if all(self.stores_the_same(number, fault, concerned) for number in numbers):
            return "shown", f"the same bits are stored for {', '.join(numbers)} in the masked lanes"
        return "", ""

    def stores_the_same(self, after, fault, concerned):
        """Whether a kernel with `after` in the fault's place stores the same bits, whatever signs the data have."""
        prepared = [arguments for launch in concerned for arguments in self.prepare_signs(launch)]
        itself, path = self.write(self.text), self.write(dataclasses.replace(fault, after=after).apply(self.text))
        for arguments in prepared:
            before, now = (own.run_plain(self.binary, at, arguments, self.folder) for at in (itself, path))
            if before is None or before != now:
                return False
        return bool(prepared)
