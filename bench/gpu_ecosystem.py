# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how emitted files behave as a part of PyTorch: random numbers, compilers, graphs, checkpoints.

    python bench/gpu_ecosystem.py FOLDER --convert build/release/nereid    converts bench/gpu/ecosystem.py (needs no GPU)
    python bench/gpu_ecosystem.py FOLDER [--stage 3] [--only TEXT]         checks them on the GPU

Prints a line for each check, and how many are right; exits 1 when one is not. test/outside/ecosystem.py makes the same
checks, but for those of CUDA, in Triton's interpreter.
"""

import argparse
import functools
import importlib.util
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
CHECKS = []


def check(*, needs_cuda=False, needs_several=False):
    """Registers a check; `needs_cuda` where the CPU has nothing like it, `needs_several` for what one GPU cannot do."""

    def register(function):
        CHECKS.append((function, needs_cuda, needs_several))
        return function

    return register


def load(path):
    name = f"{path.stem}_of_{path.parent.name}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def convert(folder, binary, stages="all"):
    """Converts all programs; what is refused ends the script."""
    source = HERE / "gpu" / "ecosystem.py"
    for name, (inputs, has_gradients) in load(source).PROGRAMS.items():
        command = [binary, "convert", f"{source}:{name}", "--inputs", inputs, "--stage", stages, "-o", folder]
        done = subprocess.run(command + ["--backward"] * has_gradients, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name} is not converted: {done.stderr}")


class Setting:
    """The emitted programs and the device that they run on."""

    def __init__(self, folder, stage, device, backend):
        self.folder, self.stage, self.device, self.backend = Path(folder), stage, device, backend

    def module(self, name):
        """The emitted file of a program."""
        return load(self.folder / f"{name.lower()}_stage{self.stage}.py")

    @property
    def original(self):
        return load(HERE / "gpu" / "ecosystem.py")

    def __getattr__(self, name):
        return getattr(self.module(name), name)

    def ones(self, *sizes):
        return torch.ones(sizes, device=self.device)

    def randn(self, *sizes):
        return torch.randn(sizes, device=self.device)

    def compile(self, program, **options):
        torch._dynamo.reset()
        return torch.compile(program, backend=self.backend, fullgraph=True, **options)

    def state(self):
        """What PyTorch's generators of the host and of the device are at."""
        host = torch.get_rng_state()
        return [host, torch.cuda.get_rng_state()] if self.device == "cuda" else [host]


class LeftOut(Exception):
    """What cannot be checked here, and why."""


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def differ(*masks):
    return all(not torch.equal(a, b) for place, a in enumerate(masks) for b in masks[:place])


def run_backward(program, x, *more, **options):
    """The result and the gradient of x under a cotangent of ones. Of ones, both are the mask."""
    leaf = x.detach().clone().requires_grad_()
    out = program(leaf, *more, **options)
    out.sum().backward()
    return out.detach(), leaf.grad


def expect_mask(out, gradient, what):
    """Dropout of 0.5 of ones: the result is its mask, and so is the gradient."""
    expect(set(out.unique().tolist()) <= {0.0, 2.0}, f"{what}: no mask: {out.unique()}")
    expect(0.3 < float((out == 0).float().mean()) < 0.7 or out.numel() < 64, f"{what}: the rate")
    expect(torch.equal(out, gradient), f"{what}: the gradient has another mask")


@check()
def seeds(on):
    """A seed repeats, as a number and as a tensor; torch.manual_seed repeats; two calls differ."""
    x = on.ones(20, 30)
    number, again, other = (on.drops(x, x, seed=seed) for seed in (7, 7, 8))
    expect(torch.equal(number, again) and not torch.equal(number, other), "a seed does not repeat")
    tensor = torch.full((), 7, dtype=torch.int64, device=on.device)
    expect(torch.equal(on.drops(x, x, seed=tensor), number), "a seed in memory gives other numbers")
    for program in (lambda: on.drops(x, x), lambda: on.layers(x), lambda: on.choices(x)[0], lambda: on.choices(x)[1]):
        torch.manual_seed(5)
        first, second = program(), program()
        torch.manual_seed(5)
        expect(torch.equal(program(), first), "torch.manual_seed does not repeat")
        expect(differ(first, second), "two calls draw the same")
    for wrong in (1.5, "7"):
        try:
            on.drops(x, x, seed=wrong)
        except TypeError as error:
            expect("seed: expected int" in str(error), f"the message is {error}")
        else:
            raise AssertionError(f"the seed {wrong!r} is taken")


@check()
def gradients_see_the_mask(on):
    x = on.ones(20, 30)
    expect_mask(*run_backward(on.drops, x, x), "drops")
    expect_mask(*run_backward(on.drops, x, x, seed=3), "drops with a seed")
    out, gradient = run_backward(on.layers, x)
    expect(torch.allclose(out, gradient), "six draws: the gradient of a linear program is its result at ones")


@check()
def nothing_is_drawn(on):
    """Evaluation and rates of 0 leave PyTorch's generators where they are; training moves the device's alone."""
    x, block = on.ones(6, 24), on.Block().to(on.device)
    before = on.state()
    expect(torch.equal(on.nothing(x), x * 3), "nothing is dropped")
    block.eval()(x)
    run_backward(block, x)
    with torch.no_grad():
        block(x)
    expect(all(map(torch.equal, before, on.state())), "evaluation moves a generator")
    block.train()(x)
    expect(not torch.equal(before[-1], on.state()[-1]), "training does not draw from the device's generator")
    expect(on.device == "cpu" or torch.equal(before[0], on.state()[0]), "training moves the host's generator")


@check(needs_cuda=True)
def nothing_waits(on):
    """A call that draws does not wait for the device."""
    x = on.ones(64, 64)
    for _ in range(2):
        run_backward(on.drops, x, x)
        on.drops(x, x)
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        leaf = x.clone().requires_grad_()
        on.drops(leaf, x).sum().backward()
        on.drops(x, x, seed=4)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@check()
def operators(on):
    """torch.library.opcheck of the operators behind programs that draw."""
    x, y = on.randn(5, 6).requires_grad_(), on.randn(5, 6)
    seed = torch.full((), 3, dtype=torch.int64, device=on.device)
    torch.library.opcheck(on.module("drops")._drops_op, (x, y, seed))
    file = on.module("block")
    names = [name for name in vars(file) if name.endswith(("case1_saving_op", "case2_saving_op"))]
    names = names or [name for name in vars(file) if name.endswith(("case1_op", "case2_op"))]
    expect(len(names) == 2, f"the cases' operators are {names}")
    block, x = on.Block().to(on.device), on.randn(5, 24)
    for name, training in zip(sorted(names), (True, False)):
        tensors = {
            "norm_weight": block.norm.weight,
            "norm_bias": block.norm.bias,
            "gain": block.gain,
            "x": x,
            "seed": seed,
        }
        operator = getattr(file, name)
        arguments = [a for a in operator._opoverload._schema.arguments if not a.kwarg_only]
        kinds = {"bool": training, "float": 0.25}
        torch.library.opcheck(operator, tuple(tensors.get(a.name, kinds.get(str(a.type))) for a in arguments))


@check()
def compiled(on):
    """torch.compile with fullgraph, in training, for sizes that change."""
    for dynamic in (None, True):
        program = on.compile(on.drops, dynamic=dynamic)
        x = on.ones(20, 30)
        first, second = run_backward(program, x, x), run_backward(program, x, x)
        for found in (first, second, run_backward(program, on.ones(33, 7), on.ones(33, 7))):
            expect_mask(*found, "compiled")
        expect(differ(first[0], second[0]), "two calls of a compiled program draw the same")
        torch.manual_seed(2)
        first = program(x, x)
        torch.manual_seed(2)
        expect(torch.equal(program(x, x), first), "torch.manual_seed does not repeat what is compiled")
        expect(torch.equal(program(x, x, seed=7), on.drops(x, x, seed=7)), "a seed does not repeat what is compiled")


@check()
def compiled_modules(on):
    """A module whose training is a case, in both modes; the seed makes both equal."""
    block = on.Block().to(on.device)
    program = on.compile(block, dynamic=True)
    for size in (6, 9):
        x = on.randn(size, 24)
        for training in (True, False):
            block.train(training)
            block.zero_grad()
            expected = *run_backward(block, x, seed=5), block.gain.grad
            block.zero_grad()
            found = *run_backward(program, x, seed=5), block.gain.grad
            for a, b in zip(expected, found):
                torch.testing.assert_close(a, b)
    block.train()
    expect(differ(program(x), program(x)), "two calls of a compiled module draw the same")
    block.eval()
    before = on.state()
    program(x)
    expect(all(map(torch.equal, before, on.state())), "evaluation of what is compiled moves a generator")


@check()
def compiled_cases_and_choices(on):
    """Cases of sizes, multinomial and randperm."""
    program = on.compile(on.layers, dynamic=True)
    for size in (3, 12):
        x = on.ones(size, 8)
        out, gradient = run_backward(program, x)
        expect(torch.allclose(out, gradient), "the gradient has other masks")
        expect(torch.allclose(program(x, seed=4), on.layers(x, seed=4)), "what is compiled draws otherwise")
    weights = on.ones(40, 6)
    one, order = on.compile(on.choices, dynamic=True)(weights)
    expect(one.shape == (40, 2) and bool((one[:, 0] != one[:, 1]).all()), "multinomial repeats a choice")
    expect(torch.equal(order.sort().values, torch.arange(40, device=on.device)), "randperm is no permutation")


@check()
def exported(on):
    """torch.export with a size that stays open, of functions and modules that draw."""
    rows = torch.export.Dim("rows", min=2, max=1000)

    class Drops(torch.nn.Module):
        def forward(self, x, y):
            return on.drops(x, y)

    x = on.ones(20, 30)
    program = torch.export.export(Drops(), (x, x), dynamic_shapes={"x": {0: rows}, "y": {0: rows}}).module()
    first, second = program(x, x), program(x, x)
    expect(set(first.unique().tolist()) == {0.0, 2.0} and differ(first, second), "what is exported draws once")
    expect(program(on.ones(7, 30), on.ones(7, 30)).shape == (7, 30), "another size")
    block, x = on.Block().to(on.device), on.randn(20, 24)
    trained = torch.export.export(block.train(), (x,), dynamic_shapes={"x": {0: rows}}).module()
    expect(differ(trained(x), trained(x)), "the exported module draws once")
    evaluated = torch.export.export(block.eval(), (x,), dynamic_shapes={"x": {0: rows}}).module()
    x = on.randn(9, 24)
    torch.testing.assert_close(evaluated(x), block(x))


@check()
def checkpoints(on):
    """What a checkpoint computes again has the same mask, compiled or not."""
    from torch.utils.checkpoint import checkpoint

    x = on.ones(20, 30)
    for reentrant in (False, True):

        def program(leaf):
            return (
                checkpoint(lambda a: on.drops(on.drops(a, x) * 1.0, x * 0.5), leaf, use_reentrant=reentrant) * 0.5 * 2
            )

        out, gradient = run_backward(program, x)
        expect(torch.equal(out, gradient), "a checkpoint has another mask")
        expect(differ(out, run_backward(program, x)[0]), "two checkpoints draw the same")

    def program(leaf):
        return checkpoint(on.drops, leaf, x, use_reentrant=False)

    expect_mask(*run_backward(on.compile(program), x), "a compiled checkpoint")


def capture(program):
    """A CUDA graph of a call."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            program()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = program()
    return graph, results


@check(needs_cuda=True)
def graphs(on):
    """A captured call draws anew at each replay, and its gradient sees that mask."""
    x, leaf = on.ones(64, 65), on.ones(64, 65).requires_grad_()

    def step():
        out = on.drops(leaf, x)
        return out, torch.autograd.grad(out.sum(), leaf)[0]

    graph, (out, gradient) = capture(step)
    found = []
    for _ in range(4):
        graph.replay()
        expect_mask(out, gradient, "a replay")
        found.append(out.detach().clone())
    expect(differ(*found), "replays repeat a mask")
    torch.manual_seed(9)
    graph.replay()
    first = out.detach().clone()
    torch.manual_seed(9)
    graph.replay()
    expect(torch.equal(first, out), "torch.manual_seed does not repeat a replay")
    seed = torch.zeros((), dtype=torch.int64, device="cuda")
    graph, out = capture(lambda: on.drops(x, x, seed=seed))
    for number in (3, 4, 3):
        seed.fill_(number)
        graph.replay()
        expect(torch.equal(out, on.drops(x, x, seed=number)), "a seed in memory does not choose the mask")


@check(needs_cuda=True)
def graphed_modules(on):
    """torch.cuda.make_graphed_callables, and the graphs that torch.compile makes."""
    block, x = on.Block().cuda().train(), on.randn(32, 24)
    graphed = torch.cuda.make_graphed_callables(block, (x.clone().requires_grad_(),))
    # Every call of it writes to the same memory.
    runs = [[found.clone() for found in run_backward(graphed, x)] for _ in range(3)]
    expect(differ(*[out for out, _ in runs]), "a graphed module repeats a mask")
    for out, gradient in runs:
        expect(bool(((out == 0).float().mean() - 0.5).abs() < 0.2) and bool(gradient.isfinite().all()), "its mask")
    torch._dynamo.reset()
    program, x = torch.compile(on.drops, mode="reduce-overhead", fullgraph=True), on.ones(64, 66)
    found = []
    for _ in range(5):
        torch.compiler.cudagraph_mark_step_begin()
        out, gradient = run_backward(program, x, x)
        expect_mask(out, gradient, "reduce-overhead")
        found.append(out.clone())
    expect(differ(*found), "reduce-overhead repeats a mask")


@check()
def streams(on):
    """No two draws share a counter: the masks of layers are independent."""
    out = on.layers(on.ones(64, 64), seed=1)
    # (1 + 2 a)(1 + 2 b)(1 + 2 c)(1 + 2 d) u has the mean 16 / 2; were the masks equal, 41 / 2.
    expect(abs(float(out.mean()) - 8) < 1.2, f"the mean is {float(out.mean())}")
    expect(abs(float((out > 0).float().mean()) - 0.75) < 0.05, "a quarter is dropped")
    rows = on.choices(on.ones(64, 64), seed=1)[0]
    expect(len({tuple(row) for row in rows.tolist()}) > 50, "rows of multinomial repeat")


def parts_of(program, *batch):
    """What vmap should give: the program on each part of a batch."""
    return torch.stack([program(*parts) for parts in zip(*batch)])


@check()
def transforms(on):
    """torch.func: gradients, vmap over a batch, both in both orders, Jacobians; beside PyTorch's own."""
    own = on.original
    x, scale, batch = on.randn(3, 5), on.randn(5), on.randn(4, 3, 5)
    for name in ("scaled", "kernel_of_rows"):
        more = [scale] if name == "scaled" else []
        mine, theirs = (lambda a, f=getattr(source, name): f(a, *more) for source in (on, own))
        same = functools.partial(torch.testing.assert_close, rtol=1e-4, atol=1e-5)
        for function in (
            lambda f: torch.func.grad(lambda a: f(a).square().sum())(x),
            lambda f: torch.func.vjp(f, x)[1](x)[0],
            lambda f: torch.vmap(f)(batch),
            lambda f: torch.vmap(f, in_dims=1, out_dims=2)(batch),
            lambda f: torch.vmap(torch.func.grad(lambda a: f(a).square().sum()))(batch),
            lambda f: torch.func.grad(lambda b: torch.vmap(f)(b).square().sum())(batch),
            lambda f: torch.func.jacrev(f)(x[:2, :3]) if not more else x,
        ):
            same(function(mine), function(theirs))
    same(
        torch.func.grad(lambda s: on.scaled(x, s).sum())(scale),
        torch.func.grad(lambda s: own.scaled(x, s).sum())(scale),
    )
    same(torch.vmap(on.scaled, in_dims=(0, None))(batch, scale), own.scaled(batch, scale))
    leaf, other = (batch.clone().requires_grad_() for _ in range(2))
    torch.vmap(on.scaled, in_dims=(0, None))(leaf, scale).sum().backward()
    own.scaled(other, scale).sum().backward()
    same(leaf.grad, other.grad)


@check()
def transforms_of_modules(on):
    """Gradients of each example of a batch, by functional_call; masks under vmap as its `randomness` says."""
    block, x = on.Block().to(on.device).eval(), on.randn(4, 3, 24)
    theirs = on.original.Block().to(on.device).eval()
    values = dict(block.named_parameters())

    def loss(module):
        return lambda kept, part: torch.func.functional_call(module, kept, (part,)).square().sum()

    found, own = (torch.vmap(torch.func.grad(loss(m)), in_dims=(None, 0))(values, x) for m in (block, theirs))
    for name in values:
        torch.testing.assert_close(found[name], own[name], rtol=1e-4, atol=1e-4)
    ones = on.ones(4, 20, 30)
    for randomness, distinct in (("different", True), ("same", False)):
        masks = torch.vmap(on.drops, randomness=randomness)(ones, ones)
        expect(differ(*masks) == distinct and set(masks.unique().tolist()) == {0.0, 2.0}, randomness)
    gradient = torch.func.grad(lambda a: on.drops(a, ones[0]).sum())(ones[0])
    expect(set(gradient.unique().tolist()) == {0.0, 2.0}, "the gradient of dropout is its mask")


@check()
def what_transforms_refuse(on):
    """Gradients of gradients, gradients that no file computes, writes to arguments."""
    x = on.randn(3, 5)
    inner = torch.func.grad(lambda a: on.kernel_of_rows(a).square().sum())
    rates = on.randn(4, 6)
    for what, program, text in (
        ("second gradients", lambda: torch.func.grad(lambda a: inner(a).sum())(x), "gradients have none of their own"),
        ("no gradients", lambda: torch.func.grad(lambda a: on.halves(a).sum())(x), "programs need --backward"),
        ("writes", lambda: torch.vmap(on.counts)(rates, rates.clone()), "writes to an argument"),
    ):
        try:
            program()
        except RuntimeError as error:
            expect(text in str(error), f"{what}: the message is {error}")
        else:
            raise AssertionError(f"{what}: not refused")
    batch = on.randn(2, 3, 5)
    expect(torch.equal(torch.vmap(on.halves)(batch), batch / 2), "vmap without gradients")


@check()
def several_compiled(on):
    """One graph for a function that calls several emitted ones, with PyTorch's operators between them."""
    scale, eye = on.randn(5), torch.eye(5, device=on.device)

    def both(source):
        rows, scaled = source.kernel_of_rows, source.scaled

        def call(x):
            x = rows(x + 1) @ eye
            return scaled(x, scale) + rows(x)

        return call

    program = on.compile(both(on), dynamic=True)
    for size in (3, 8):
        x = on.randn(size, 5)
        for found, expected in zip(run_backward(program, x), run_backward(both(on.original), x)):
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def pack(folder, stage, device, is_control):
    """AOTInductor in a process of its own: a package of an exported program that draws, or of an operator by hand."""
    on = Setting(folder, stage, device, "inductor")
    by_hand = torch.library.custom_op(
        "ecosystem::twice", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    by_hand.register_fake(torch.empty_like)

    class Program(torch.nn.Module):
        def forward(self, x, y):
            return (by_hand(x), y) if is_control else (on.kernel_of_rows(x) + 1, on.drops(y, y))

    rows = torch.export.Dim("rows", min=2, max=1000)
    x, ones = on.randn(6, 8), on.ones(6, 8)
    with torch.no_grad(), tempfile.TemporaryDirectory() as place:
        program = torch.export.export(Program(), (x, ones), dynamic_shapes={"x": {0: rows}, "y": {0: rows}})
        path = torch._inductor.aoti_compile_and_package(program, package_path=f"{place}/program.pt2")
        packed = torch._inductor.aoti_load_package(path)
        x, ones = on.randn(9, 8), on.ones(9, 8)
        (rows_of, first), (_, second) = packed(x, ones), packed(x, ones)
    if not is_control:
        torch.testing.assert_close(rows_of, on.original.kernel_of_rows(x) + 1)
        expect(set(first.unique().tolist()) == {0.0, 2.0} and differ(first, second), "the package draws once")


@check()
def ahead_of_time(on):
    """AOTInductor. Some builds of PyTorch die where they load a package of any operator of Python's."""
    context = torch.multiprocessing.get_context("spawn")

    def get_status(is_control):
        process = context.Process(target=pack, args=(str(on.folder), on.stage, on.device, is_control))
        process.start()
        process.join()
        return process.exitcode

    status = get_status(False)
    if status < 0 and get_status(True) < 0:
        raise LeftOut(f"this PyTorch dies of signal {-status} with an operator written by hand, too")
    expect(status == 0, f"exit status {status}")


@check()
def parametrized(on):
    """A parameter that is computed: torch.nn.utils.parametrize, and its gradients."""

    class Double(torch.nn.Module):
        def forward(self, x):
            return x * 2

    x, found = on.randn(6, 24), []
    for source in (on, on.original):
        block = source.Block().to(on.device).eval()
        torch.nn.utils.parametrize.register_parametrization(block, "gain", Double())
        torch.nn.utils.parametrize.register_parametrization(block.norm, "weight", Double())
        out, gradient = run_backward(block, x)
        kept = block.parametrizations.gain.original.grad, block.norm.parametrizations.weight.original.grad
        found.append((out, gradient, *kept))
    for a, b in zip(*found):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


@check()
def optimizers(on):
    """Groups of parameters by name, as weight decay asks for; steps and state as the original's."""
    x, modules = on.randn(6, 24), [source.Block().to(on.device).eval() for source in (on, on.original)]
    modules[0].load_state_dict(modules[1].state_dict())
    for block in modules:
        decayed = [p for name, p in block.named_parameters() if not name.endswith("bias") and "norm" not in name]
        others = [p for name, p in block.named_parameters() if name.endswith("bias") or "norm" in name]
        expect((len(decayed), len(others)) == (1, 2), "the names of parameters")
        groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        optimizer = torch.optim.AdamW(groups, lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            block(x).square().sum().backward()
            optimizer.step()
    mine, theirs = (dict(block.named_parameters()) for block in modules)
    expect(list(mine) == list(theirs), "the order of parameters")
    for name, value in mine.items():
        torch.testing.assert_close(value, theirs[name], rtol=1e-3, atol=1e-4)


def join(rank, folder, meeting, stage, device, wrapping):
    """One of two processes: wraps a module and compares with the mean of both processes' gradients."""
    import torch.distributed as dist

    several = device == "cuda" and torch.cuda.device_count() > 1
    own = f"cuda:{rank if several else 0}" if device == "cuda" else "cpu"
    if device == "cuda":
        torch.cuda.set_device(own)
    else:
        torch.set_num_threads(1)
    dist.init_process_group("nccl" if several else "gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    on = Setting(folder, stage, own, "aot_eager")
    torch.manual_seed(0)
    plain, block = on.Block().to(own), on.Block().to(own)
    block.load_state_dict(plain.state_dict())
    inputs = [on.randn(6, 24) for _ in range(2)]
    if wrapping == "fsdp":
        from torch.distributed.fsdp import fully_shard

        wrapped = fully_shard(block)
    else:
        wrapped = torch.nn.parallel.DistributedDataParallel(block)
    for x in inputs:
        plain(x, seed=3).square().sum().backward()
    for _ in range(2):
        wrapped.zero_grad()
        out = wrapped(inputs[rank], seed=3)
        out.square().sum().backward()
    torch.testing.assert_close(out, plain(inputs[rank], seed=3))
    for (name, mine), (_, theirs) in zip(block.named_parameters(), plain.named_parameters(), strict=True):
        gradient = mine.grad.full_tensor() if wrapping == "fsdp" else mine.grad
        torch.testing.assert_close(gradient, theirs.grad / 2, msg=f"{wrapping}: the gradient of {name}")
    dist.destroy_process_group()


def make_two(on, wrapping):
    with tempfile.TemporaryDirectory() as folder:
        arguments = (str(on.folder), f"{folder}/meeting", on.stage, on.device, wrapping)
        torch.multiprocessing.spawn(join, arguments, nprocs=2)


@check()
def distributed_data_parallel(on):
    """DistributedDataParallel in two processes; they share a GPU where there is one."""
    make_two(on, "ddp")


@check(needs_several=True)
def fully_sharded(on):
    """fully_shard in two processes."""
    make_two(on, "fsdp")


def run(on, only="", out=print):
    """Makes all checks that the device allows; returns how many are wrong."""
    right = wrong = 0
    for function, needs_cuda, needs_several in CHECKS:
        if only not in function.__name__ or (needs_cuda and on.device != "cuda"):
            continue
        if needs_several and on.device == "cuda" and torch.cuda.device_count() < 2:
            out(f"{function.__name__}: left out, it needs two GPUs")
            continue
        torch.manual_seed(0)
        try:
            function(on)
        except LeftOut as reason:
            out(f"{function.__name__}: left out, {reason}")
        except Exception as error:
            wrong += 1
            text = str(error).strip().split("\n")[0]
            out(f"{function.__name__}: wrong: {type(error).__name__}: {text}")
            traceback.print_exc()
        else:
            right += 1
            out(f"{function.__name__}: right")
    out(f"{right} right, {wrong} wrong")
    return wrong or not right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--convert", metavar="BINARY", help="convert the programs into the folder")
    parser.add_argument("--stage", type=int, default=3)
    parser.add_argument("--only", default="", help="checks whose name contains this")
    options = parser.parse_args()
    if options.convert:
        return convert(options.folder, options.convert)
    if not torch.cuda.is_available():
        sys.exit("there is no GPU here; test/outside/ecosystem.py checks on the CPU")
    return run(
        Setting(options.folder, options.stage, "cuda", "inductor"), options.only, functools.partial(print, flush=True)
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
