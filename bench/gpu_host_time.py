# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what calls cost on the host of a GPU: emitted files beside eager PyTorch and torch.compile.

    bench/gpu/emit FOLDER                                        (needs build/release/nereid, no GPU)
    python bench/gpu_host_time.py FOLDER [--stage 3] [--backward] [NAME...]
    python bench/gpu_host_time.py FOLDER --check [NAME...]       whether remembered launches are right

Inputs are so small that the GPU waits for the host. Prints a Markdown table: microseconds until a call returns, the
least of rounds. --check calls each file with sizes that change, tensors off their alignment and transposed ones, on
another stream, in several threads, in a CUDA graph and under torch.compile, and compares with eager PyTorch; exits 1
on a difference.
"""

import argparse
import sys
import threading
import time
from pathlib import Path

import gpu_memory_bound as table
import torch

LARGEST = 64
NAMES = (
    "vector_add softmax layer_norm batch_norm triplet_loss masked_mean column_variance residual_rms_norm adam"
    " dropout_add"
).split()
CHECKED = "vector_add softmax layer_norm column_sum channels_last triplet_loss".split()


def get_sizes(name, **changed):
    spec, sizes = table.suite.PROGRAMS[name]
    return spec, {**{size: min(value, LARGEST) for size, value in sizes.items()}, **changed}


def load(options, name, folder):
    return getattr(table.load(options.folder / folder / f"{name}_stage{options.stage}.py"), name)


def microseconds(call, rounds=10, often=100):
    for _ in range(30):
        call()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(often):
            call()
        times.append((time.perf_counter() - start) / often * 1e6)
    return min(times)


def time_program(options, name):
    """Microseconds of eager PyTorch, torch.compile and the file; None where nothing has a gradient."""
    program, inputs = getattr(table.suite, name), table.make_inputs(*get_sizes(name))
    functions = [program, torch.compile(program), load(options, name, "backward" if options.backward else "forward")]
    if options.backward:
        constants = table.suite.CONSTANTS.get(name, ())
        leaves = [i for i, t in enumerate(inputs) if t.is_floating_point() and i not in constants]
        for i in leaves:
            inputs[i].requires_grad_()
        results = table.flatten(program(*inputs))
        seeds = {i: torch.randn_like(t) for i, t in enumerate(results) if t.requires_grad}
        if not seeds:
            return None
        functions = [table.with_gradients(function, leaves, seeds) for function in functions]
    with torch.set_grad_enabled(options.backward):
        return [microseconds(lambda function=function: function(*inputs)) for function in functions]


def show(options, names):
    print("| program | eager us | compile us | nereid us | against compile |\n|---|---|---|---|---|", flush=True)
    ratios = []
    for name in names:
        times = time_program(options, name)
        torch._dynamo.reset()
        if times is None:
            continue
        eager, compiled, ours = times
        ratios.append(compiled / ours)
        print(f"| {name} | {eager:.0f} | {compiled:.0f} | {ours:.0f} | {compiled / ours:.2f}x |", flush=True)
    print(f"\nGeometric mean over {len(ratios)}: {table.geometric_mean(ratios):.2f}x torch.compile")
    return 0


def move(tensor):
    """The same tensor, one element behind an aligned address."""
    moved = torch.empty(tensor.numel() + 1, dtype=tensor.dtype, device="cuda")[1:].view(tensor.shape)
    return moved.copy_(tensor)


def transpose(tensor):
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2) if tensor.dim() > 1 else tensor


class Judge:
    """Compares calls of a file with eager PyTorch."""

    def __init__(self, options, name):
        self.name, self.original, self.wrong = name, getattr(table.suite, name), []
        self.emitted = load(options, name, "forward")

    def compare(self, label, inputs, found=None):
        found = self.emitted(*inputs) if found is None else found
        expected = self.original(*inputs)
        for ours, theirs in zip(table.flatten(found), table.flatten(expected)):
            if not torch.allclose(ours.float(), theirs.float(), rtol=2e-2, atol=2e-2, equal_nan=True):
                self.wrong.append(label)

    def change_sizes(self):
        last = list(get_sizes(self.name)[1])[-1]
        for value in (64, 63, 1, 17, 48, 64) * 3:
            try:
                inputs = table.make_inputs(*get_sizes(self.name, **{last: value}))
                self.original(*inputs)
            except (RuntimeError, ValueError):
                continue  # sizes that the program does not take
            for change in (torch.clone, move, transpose):
                self.compare(f"{change.__name__} at {last}={value}", [change(t) for t in inputs])

    def use_stream(self, inputs):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            found = self.emitted(*inputs)
        stream.synchronize()
        self.compare("another stream", inputs, found)

    def use_threads(self, inputs):
        def work():
            for _ in range(50):
                self.compare("threads", [t.clone() for t in inputs])

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def use_graph(self, inputs):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = self.emitted(*inputs)
        for tensor in inputs:
            if tensor.is_floating_point():
                tensor.copy_(torch.rand_like(tensor))
        graph.replay()
        torch.cuda.synchronize()
        self.compare("a graph", inputs, found)


def check(options, names):
    failures = 0
    for name in names:
        judge = Judge(options, name)
        judge.change_sizes()
        inputs = table.make_inputs(*get_sizes(name))
        judge.compare("a call", inputs)
        judge.use_stream(inputs)
        judge.use_threads(inputs)
        judge.use_graph(inputs)
        judge.compare("torch.compile", inputs, torch.compile(judge.emitted, fullgraph=True)(*inputs))
        torch._dynamo.reset()
        failures += bool(judge.wrong)
        print(f"{'FAIL' if judge.wrong else 'ok  '} {name} {', '.join(dict.fromkeys(judge.wrong))}", flush=True)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stage", default="3")
    parser.add_argument("--backward", action="store_true", help="time forward and backward together")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    if options.check:
        return check(options, options.names or CHECKED)
    return show(options, options.names or NAMES)


if __name__ == "__main__":
    sys.exit(main())
