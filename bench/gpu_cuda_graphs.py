# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of `nereid convert --cuda-graph` on a GPU: the same numbers as without it, and how long models take.

    python bench/gpu_cuda_graphs.py FOLDER [NAME...] --convert build/release/nereid    converts (needs no GPU)
    python bench/gpu_cuda_graphs.py FOLDER [NAME...]                                   checks and times on the GPU

Checks change what a caller can change between calls (inputs, sizes, parameters in place and replaced, numbers of modules,
PyTorch's precision, streams, threads, inference mode, a graph of the caller's own) and compare with the file without
graphs, bit by bit. Prints a line a check and a table of models (NAME, default: those below) at their published sizes,
medians of CUDA events in milliseconds; exits 1 when a check fails.
"""

import argparse
import subprocess
import sys
import threading
from pathlib import Path

import torch
from gpu_models import load, milliseconds, moved, tensors_of

ROOT = Path(__file__).resolve().parent.parent
MODELS = "resnet18 resnet50 densenet121 efficientnet_b0 mobilenet_v2 gpt2 vit_b16".split()
CHECKED = ["softmax", "dropout_residual", "layer_norm_module", "models/resnet18"]
CHECKS = []


def convert(folder, binary, names):
    for source in [*CHECKED, *(f"models/{name}" for name in names)]:
        for kind, options in {
            "plain": [],
            "graph": ["--cuda-graph"],
            "gradient": ["--cuda-graph", "--backward"],
        }.items():
            if kind == "gradient" and source != "layer_norm_module":
                continue
            target = folder / kind / Path(source).name
            command = [binary, "convert", ROOT / "examples" / f"{source}.py", "--stage", "3", "-o", target, *options]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{source} is not converted: {done.stderr}")


def check(function):
    CHECKS.append(function)
    return function


class Files:
    def __init__(self, folder):
        self.folder = folder

    def get(self, kind, name):
        path = next((self.folder / kind / name).glob("*_stage3.py"))
        return load(path)

    def pair(self, name, attribute):
        return [getattr(self.get(kind, name), attribute) for kind in ("plain", "graph")]

    def modules(self, name, attribute, *arguments, **options):
        plain, graph = (cls(*arguments, **options).cuda().eval() for cls in self.pair(name, attribute))
        graph.load_state_dict(plain.state_dict())
        return plain, graph


def expect(found, exact):
    if not torch.equal(found, exact):
        raise AssertionError(f"differs by {(found - exact).abs().max().item()}")


def count_graphs(function):
    return sum(graph is not None for graph in sys.modules[function.__module__]._graphs.values())


@check
def inputs_and_sizes(files):
    plain, graph = files.pair("softmax", "softmax")
    kept = []
    for turn in range(4):
        for rows in (3, 64, 1000):
            x = torch.randn(rows, 777, device="cuda") * (turn + 1)
            kept.append((graph(x), plain(x)))
    for found, exact in kept:  # A later call leaves the results of earlier ones alone.
        expect(found, exact)
    assert count_graphs(graph) == 3


@check
def many_sizes(files):
    plain, graph = files.pair("softmax", "softmax")
    for rows in [*range(1, 40), *range(1, 40), 5, 5, 5]:
        x = torch.randn(rows, 100, device="cuda")
        expect(graph(x), plain(x))


@check
def layouts_and_alignment(files):
    plain, graph = files.pair("softmax", "softmax")
    for _ in range(3):
        x = torch.randn(129, 512, device="cuda")
        for y in (x.t(), x[:, 1:], x[:, ::2], x.view(-1)[1 : 1 + 128 * 512].view(128, 512), x[:1].expand(64, 512)):
            expect(graph(y), plain(y))


@check
def parameters(files):
    plain, graph = files.modules("layer_norm_module", "LayerNorm", 384)
    x = torch.randn(4, 16, 384, device="cuda")
    with torch.no_grad():
        for turn in range(4):
            expect(graph(x), plain(x))
            for module in (plain, graph):
                for number, p in enumerate(module.parameters()):
                    p.copy_(torch.linspace(-1, 1 + turn + number, p.numel(), device="cuda").view_as(p))
        for turn in range(3):
            for module in (plain, graph):
                for name, p in list(module.named_parameters()):
                    setattr(module, name, torch.nn.Parameter(torch.full_like(p, 0.5 + turn)))
            for _ in range(3):
                expect(graph(x), plain(x))
        for _ in range(3):
            for module in (plain, graph):
                next(module.parameters()).data.mul_(3)
            expect(graph(x), plain(x))


@check
def numbers(files):
    plain, graph = files.modules("layer_norm_module", "LayerNorm", 384)
    x = torch.randn(4, 16, 384, device="cuda")
    with torch.no_grad():
        for eps in (1e-5, 1e-5, 0.5, 0.5, 1e-5, 0.5):
            plain.eps = graph.eps = eps
            expect(graph(x), plain(x))


@check
def draws(files):
    x, y = torch.randn(2, 1000, 64, device="cuda")
    results = []
    for module in files.modules("dropout_residual", "DropoutResidual", 64):
        torch.manual_seed(3)
        with torch.no_grad():
            results.append([module.train()(x, y) for _ in range(5)])
    for exact, found in zip(*results, strict=True):
        expect(found, exact)
    assert not torch.equal(results[1][3], results[1][4])


@check
def precision(files):
    plain, graph = files.modules("resnet18", "ResNet18")
    x = torch.randn(2, 3, 64, 64, device="cuda")
    found = {}
    with torch.no_grad():
        for allowed in (True, True, True, False, False, False, True):
            torch.backends.cudnn.allow_tf32 = allowed
            found[allowed] = graph(x)
            expect(found[allowed], plain(x))
    assert not torch.equal(found[True], found[False])


@check
def modes(files):
    plain, graph = files.modules("resnet18", "ResNet18")
    x = torch.randn(2, 3, 64, 64, device="cuda")
    for mode in (torch.inference_mode, torch.no_grad, torch.inference_mode, torch.no_grad):
        with mode():
            for _ in range(3):
                expect(graph(x + 1), plain(x + 1))
    plain.train()
    graph.train()
    with torch.no_grad():
        for _ in range(4):
            expect(graph(x), plain(x))
            for a, b in zip(graph.buffers(), plain.buffers(), strict=True):
                expect(a, b)


@check
def streams_and_threads(files):
    plain, graph = files.pair("softmax", "softmax")
    streams = [torch.cuda.Stream() for _ in range(4)]
    failures = []

    def work(stream, number):
        try:
            with torch.cuda.stream(stream):
                for turn in range(50):
                    x = torch.arange(120000, device="cuda").view(300, 400) % (7 + number) * 0.1 + turn
                    expect(graph(x), plain(x))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(streams[n % 4], n)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@check
def own_graph(files):
    plain, graph = files.pair("softmax", "softmax")
    x = torch.randn(100, 200, device="cuda")
    for _ in range(3):
        graph(x)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        y = graph(x)
    x.mul_(3)
    captured.replay()
    expect(y, plain(x))


@check
def compiled(files):
    plain, graph = files.pair("softmax", "softmax")
    function = torch.compile(graph, fullgraph=True)
    for _ in range(3):
        x = torch.randn(100, 200, device="cuda")
        expect(function(x), plain(x))


@check
def gradients(files):
    module = files.get("gradient", "layer_norm_module").LayerNorm(384).cuda()
    plain = files.pair("layer_norm_module", "LayerNorm")[0](384).cuda()
    for turn in range(4):
        x = torch.randn(4, 16, 384, device="cuda", requires_grad=True)
        y = module(x)
        y.sum().backward()
        assert x.grad is not None
        with torch.no_grad():
            for _ in range(3):
                expect(module(x), plain(x))


def times(files, name):
    """Milliseconds of eager PyTorch, of the plain file and of the one with graphs."""
    source = load(ROOT / "examples/models" / f"{name}.py")
    cls = load(next((files.folder / "plain" / name).glob("*_check.py")))._EXPORTED
    init = source.get_init_inputs() if hasattr(source, "get_init_inputs") else []
    modules = [
        getattr(file, cls)(*init).cuda().eval() for file in (source, files.get("plain", name), files.get("graph", name))
    ]
    for module in modules[1:]:
        module.load_state_dict(modules[0].state_dict())
    inputs = [moved(x, torch.float32) for x in source.get_inputs()]
    with torch.no_grad():
        results = [[module(*inputs) for _ in range(3)][-1] for module in modules]
        for found, exact in zip(tensors_of(results[2]), tensors_of(results[1]), strict=True):
            expect(found, exact)
        return [milliseconds(lambda module=module: module(*inputs), 15) for module in modules]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=MODELS)
    parser.add_argument("--convert", metavar="NEREID")
    options = parser.parse_args()
    if options.convert:
        return convert(options.folder, options.convert, options.names)
    files, failed = Files(options.folder), 0
    for function in CHECKS:
        before = torch.backends.cudnn.allow_tf32
        try:
            function(files)
            print(f"right: {function.__name__}", flush=True)
        except Exception as error:
            failed += 1
            print(f"WRONG: {function.__name__}: {type(error).__name__}: {error}", flush=True)
        finally:
            torch.backends.cudnn.allow_tf32 = before
    print(
        f"{len(CHECKS) - failed} of {len(CHECKS)} checks are right\n\n| model | eager | Nereid | with --cuda-graph |\n|---|---|---|---|"
    )
    for name in options.names:
        print(f"| {name} | " + " | ".join(f"{t:.2f}" for t in times(files, name)) + " |", flush=True)
        torch.cuda.empty_cache()
    return failed


if __name__ == "__main__":
    sys.exit(main())
