# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How files with gradients behave as a part of PyTorch, under upstream Triton's interpreter.

    autograd.py BINARY

Converts small programs with --backward at every stage and compares with PyTorch's autograd: which results and inputs
have gradients, which kernels run, other threads, strides of gradients, torch.compile, what is refused. Exits 1 at the
first difference.
"""

import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import torch

import bound
import loading
import parameters
from expectations import check, raises

BINARY = str(Path(sys.argv[1]).resolve())
FOLDER = Path(tempfile.mkdtemp())


def convert(name, text, inputs, *more):
    """The original program, and the emitted ones."""
    path = FOLDER / f"{name}.py"
    path.write_text("import torch\nfrom torch import nn\n\n\n" + text)
    command = [BINARY, "convert", path, "--inputs", inputs, "--backward", "--stage", "all", *more]
    done = subprocess.run([*command, "-o", FOLDER / name], capture_output=True, text=True)
    check(done.returncode == 0, f"{name} is not converted: {done.stderr}")
    files = sorted((FOLDER / name).glob("*_stage?.py"))
    return loading.load(path), [loading.load(file) for file in files]


def count_kernels(module):
    """A list that gets the name of each kernel that is launched."""
    launched = []

    class Counted:
        def __init__(self, name, kernel):
            self.name, self.kernel = name, kernel

        def __getitem__(self, grid):
            launched.append(self.name)
            return self.kernel[grid]

    for name, kernel in list(vars(module).items()):
        if name.endswith("_kernel"):
            setattr(module, name, Counted(name, kernel))
    return launched


def equal(a, b):
    """Whether two tensors of a few elements are the same but for the order of their sums."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, 1e-5, 1e-6)


def leaves_of(inputs):
    floats = [isinstance(x, torch.Tensor) and x.is_floating_point() for x in inputs]
    return [x.detach().clone().requires_grad_() if f else x for x, f in zip(inputs, floats)]


def flat(results):
    return results if isinstance(results, tuple) else (results,)


def run(program, inputs, cotangents):
    """Results and the gradients of the inputs, of cotangents that are as those of the first run."""
    leaves = leaves_of(inputs)
    results = flat(program(*leaves))
    given = [x for x in results if x.requires_grad]
    made = [make(x).to(x.dtype) for make, x in zip(cotangents, given, strict=True)]
    torch.autograd.backward(given, made)
    return results, [getattr(x, "grad", None) for x in leaves]


def compare(name, original, emitted, inputs, cotangent=torch.randn_like):
    """Results, whether they require gradients, and the gradients of the inputs, by the bound of docs/validation.md."""
    torch.manual_seed(1)
    made = []

    def make(x):
        made.append(cotangent(x))
        return made[-1]

    count = sum(x.requires_grad for x in flat(original(*leaves_of(inputs))))
    own, own_gradients = run(original, inputs, [make] * count)
    again = [lambda x, each=each: each for each in made]
    wide = [x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
    exact, exact_gradients = run(original, wide, again)
    mine, gradients = run(emitted, inputs, again)
    for place, (a, b) in enumerate(zip(own, mine, strict=True)):
        check(a.requires_grad == b.requires_grad, f"{name}: result {place} requires a gradient: {b.requires_grad}")
    for kind, *each in (("result", own, mine, exact), ("gradient", own_gradients, gradients, exact_gradients)):
        for place, (a, b, reference) in enumerate(zip(*each, strict=True)):
            a, b, reference = (x if x is None else x.detach() for x in (a, b, reference))
            problem = bound.compare(b, reference, a, 0.0 if a is None else bound.get_error(a, reference))
            check(not problem, f"{name}: {kind} {place}: {problem}")


def expand(x):
    return torch.ones((), dtype=x.dtype).expand(x.shape)


def transpose(x):
    return torch.randn(x.shape[::-1]).permute(*reversed(range(x.dim()))).to(x.dtype)


def test_kinds_of_results_and_inputs():
    text = """def f(x, y, index, unused):
    z = x * y.sin() + index
    return z, z.argmax(-1), z.detach() * 2, index + 1, y.round(), z > 0
"""
    original, stages = convert("kinds", text, "x=f32[M,N],y=f32[N],index=i64[N],unused=f32[M]")
    inputs = [torch.randn(5, 7), torch.randn(7), torch.arange(7), torch.randn(5)]
    for emitted in stages:
        for cotangent in (torch.randn_like, expand, transpose):
            compare("kinds", original.f, emitted.f, inputs, cotangent)
        # Nothing wants a gradient of the integers.
        results = emitted.f(*leaves_of(inputs))
        check(results[1].grad_fn is None, "argmax has a gradient")


def test_results_that_are_inputs():
    text = "def f(x, y):\n    return x, x.t(), x + y, y\n"
    original, stages = convert("views", text, "x=f32[M,N],y=f32[M,N]")
    for emitted in stages:
        compare("views", original.f, emitted.f, [torch.randn(3, 4), torch.randn(3, 4)])


def test_scalars():
    text = """def f(x, alpha, power, flag):
    y = x * alpha + x.pow(2) * power
    return y.exp() * y if flag else y
"""
    original, stages = convert("scalars", text, "x=f32[M,N],alpha=f64,power=i64,flag=bool")
    for emitted in stages:
        for flag in (True, False):
            compare("scalars", original.f, emitted.f, [torch.randn(3, 4) / 4, 0.5, 3, flag])


def test_numbers_that_are_sizes():
    text = """import torch

def f(x, n):
    h = x[:, :n].cumsum(1).sum(1, keepdim=True)
    for i in range(n):
        h = h * 0.5 + x[:, i:i + 1]
    if n > 3:
        return h * x, x[:, -n:].exp()
    return torch.softmax(x[:, n:], -1), torch.cat([x, x.new_ones(x.shape[0], n)], 1) * h
"""
    original, stages = convert("sizes", text, "x=f32[M,N],n=i64")
    for emitted in stages:
        for n in (1, 2, 3, 4, 7):
            compare("sizes", original.f, emitted.f, [torch.randn(3, 7), n])


def test_broadcasts():
    text = "def f(x, y, z):\n    return x + y, x.unsqueeze(0) * z\n"
    original, stages = convert("broadcasts", text, "x=f32[N],y=f32[M,N],z=f32[]")
    for emitted in stages:
        compare("broadcasts", original.f, emitted.f, [torch.randn(4), torch.randn(3, 4), torch.tensor(2.0)])


def test_in_place_on_temporaries():
    text = """def f(x):
    y = x * 2
    y[:, 1:].mul_(x[:, 1:]).add_(1)
    y.exp_()
    return y, y.sum(0)
"""
    original, stages = convert("in_place", text, "x=f32[M,N]")
    for emitted in stages:
        compare("in_place", original.f, emitted.f, [torch.randn(3, 4)])


def test_one_of_several_results():
    text = "def f(x):\n    return x.exp(), x.sin()\n"
    original, stages = convert("several", text, "x=f32[M]")
    for emitted in stages:
        x, y = (torch.arange(4.0).requires_grad_() for _ in range(2))
        original.f(x)[1].sum().backward()
        emitted.f(y)[1].sum().backward()
        check(equal(x.grad, y.grad), "the gradient of one of two results")


def test_cases():
    text = "def f(x):\n    if x.shape[0] > 4:\n        return x.exp()\n    return (x * x).sum(0)\n"
    original, stages = convert("cases", text, "x=f32[M,N]")
    for emitted in stages:
        for size in (3, 9):
            compare("cases", original.f, emitted.f, [torch.randn(size, 4)])


NORM = """class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.BatchNorm1d(n)
        self.scale = nn.Parameter(torch.full((n,), 2.0))
        self.fixed = nn.Parameter(torch.ones(n), requires_grad=False)

    def forward(self, x):
        return (self.norm(x) * self.scale + self.fixed).relu()
"""


def test_modules():
    original, stages = convert("norm", NORM, "x=f32[M,6]", "--init", "6")
    for emitted in stages:
        torch.manual_seed(0)
        theirs, mine = original.Norm(6), emitted.Norm(6)
        parameters.randomize(theirs)
        mine.load_state_dict(theirs.state_dict())
        for training in (True, False, True):
            x = torch.randn(9, 6)
            for module in (theirs.train(training), mine.train(training)):
                module.zero_grad()
                module(x).square().sum().backward()
            for (name, a), (_, b) in zip(theirs.named_parameters(), mine.named_parameters(), strict=True):
                check(equal(a.grad, b.grad), f"the gradient of {name}, training: {training}")
            for (name, a), (_, b) in zip(theirs.named_buffers(), mine.named_buffers(), strict=True):
                check(equal(a, b), f"the buffer {name}, training: {training}")
        mine.fixed.requires_grad_()
        raises(ValueError, "fixed: no gradient is computed", lambda: mine(torch.randn(9, 6)))


SCALE = """class Scale(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.full((n,), 2.0))

    def forward(self, x):
        return x.softmax(-1) * self.weight
"""


def test_what_is_needed():
    _, stages = convert("scale", SCALE, "x=f32[M,N]", "--init", "6")
    module = stages[1].Scale(6)
    launched = count_kernels(stages[1])

    def run(x, weight):
        launched.clear()
        module.weight.grad = None
        module.weight.requires_grad_(weight)
        inputs = torch.randn(5, 6, requires_grad=x)
        out = module(inputs)
        check(out.requires_grad == (x or weight), "the result requires a gradient")
        if out.requires_grad:
            out.sum().backward()
        check((inputs.grad is not None) == x, "the gradient of the input")
        check((module.weight.grad is not None) == weight, "the gradient of the weight")
        return [name for name in launched if "backward" in name]

    both, one, other, none = run(True, True), run(True, False), run(False, True), run(False, False)
    check(len(both) == 2 and len(one) == len(other) == 1 and not none, f"{both}, {one}, {other}, {none}")
    check(set(one) | set(other) == set(both), "each gradient has a kernel of its own")
    with torch.no_grad():
        launched.clear()
        check(not module(torch.randn(5, 6)).requires_grad, "a gradient under no_grad")
        check(not any("saving" in name for name in launched), "something is saved under no_grad")


def test_threads_and_second_gradients():
    _, stages = convert("threads", "def f(x):\n    return x.softmax(-1) * x\n", "x=f32[M,N]")
    for emitted in stages:
        x = torch.randn(3, 5, requires_grad=True)
        out = emitted.f(x).square().sum()
        worker = threading.Thread(target=out.backward)
        worker.start()
        worker.join()
        own = x.detach().clone().requires_grad_()
        (own.softmax(-1) * own).square().sum().backward()
        check(equal(own.grad, x.grad), "the gradient from another thread")
        for out in (emitted.f(x).square().sum(), emitted.f(x).sum()):
            raises(RuntimeError, "once_differentiable", lambda o=out: torch.autograd.grad(o, x, create_graph=True))
        y = x.detach().clone().requires_grad_()
        z = y * 1
        out = emitted.f(z)
        z.mul_(2)
        raises(RuntimeError, "modified by an inplace operation", lambda o=out: o.sum().backward())


def test_outputs_that_are_not_used():
    text = "import torch\ndef f(x, y, z):\n    return (x * z).sin(), y.cos() * z, x.argmax(-1)\n"
    original, stages = convert("unused", text, "x=f32[M,N],y=f32[M,N],z=f32[N]")
    for emitted in stages:
        for used in ([0], [1], [0, 1]):
            grads = []
            for function in (original.f, emitted.f):
                torch.manual_seed(0)
                inputs = [torch.randn(3, 4, requires_grad=True) for _ in range(2)] + [torch.randn(4, requires_grad=True)]
                results = function(*inputs)
                sum((place + 1) * results[place].sum() for place in used).backward()
                grads.append([x.grad for x in inputs])
            for theirs, ours in zip(*grads):
                check((ours is None) == (theirs is None), "None where no output that is used depends on the input")
                check(ours is None or equal(ours, theirs), "the gradient of what is used")


def test_compiled():
    _, stages = convert("compiled", SCALE, "x=f32[M,N]", "--init", "6")
    for emitted in stages:
        for dynamic in (None, True):
            module = emitted.Scale(6)
            x, y = (torch.linspace(-1, 1, 30).view(5, 6).requires_grad_() for _ in range(2))
            module(x).square().sum().backward()
            gradient, module.weight.grad = module.weight.grad, None
            traced = torch.compile(module, backend="aot_eager", fullgraph=True, dynamic=dynamic)
            traced(y).square().sum().backward()
            check(equal(x.grad, y.grad), "the gradient under torch.compile")
            check(equal(gradient, module.weight.grad), "the weight's gradient under torch.compile")
            torch._dynamo.reset()
        name = "_scale_forward_saving_op"
        name = name if hasattr(emitted, name) else "_scale_forward_op"
        torch.library.opcheck(getattr(emitted, name), (module.weight, x))


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    for name, test in tests.items():
        test()
        print(f"{name}: right", flush=True)
    print(f"autograd: {len(tests)} right, 0 wrong")


if __name__ == "__main__":
    main()
