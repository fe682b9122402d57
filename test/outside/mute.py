# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's launcher without a GPU: kernels are asked for and launched, but neither compiled nor run.

`install()` puts a driver and a compiler in place that only write down what they are asked for. What is counted is
upstream's own code: which specialisations the JIT asks for, and when the autotuner takes times.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from triton.backends.compiler import GPUTarget
from triton.compiler import CompiledKernel
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction


@dataclass
class Asked:
    """Of each kernel by name: the specialisations that were compiled, and the keys that were tuned."""

    compiled: dict = field(default_factory=dict)
    tuned: dict = field(default_factory=dict)
    launches: int = 0
    # Of each launch the kernel, its specialisation, the grid and the arguments; a list, or None to keep nothing.
    heard: list | None = None
    # How long the specialisation that was launched last takes, for the tuner.
    last: tuple = ()
    judge: Callable = lambda entry: 1.0

    def clear(self):
        self.compiled.clear()
        self.tuned.clear()
        self.launches = 0


class Driver:
    """As much of a driver as launching asks for."""

    def __init__(self, asked):
        self.asked = asked

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_benchmarker(self):
        def time(run, quantiles=None, **options):
            run()
            return [self.asked.judge(self.asked.last)] * 3

        return time


class Kernel(CompiledKernel):
    """What a launch asks of a compiled kernel."""

    function = packed_metadata = module = None

    def __init__(self, asked, name, entry):
        self.asked, self.name, self.entry = asked, name, entry

    def __del__(self):
        pass

    def _init_handles(self):
        pass

    def launch_metadata(self, grid, stream, *arguments):
        return None

    def run(self, x, y, z, *arguments):
        self.asked.launches += 1
        self.asked.last = self.entry
        if self.asked.heard is not None:
            # Behind the stream, the function, its metadata, those of the launch and two hooks.
            self.asked.heard.append((self.name, self.entry, (x, y, z), arguments[6:]))


def install():
    asked = Asked()
    driver.set_active(Driver(asked))

    def compile(self, key, signature, device, constexprs, options, attrs, warmup):
        known = {self.arg_names[path[0]]: value for path, value in constexprs.items()}
        aligned = tuple(sorted(self.arg_names[path[0]] for path, found in attrs.items() if found))
        entry = (tuple(sorted(known.items())), options.num_warps, options.num_stages, aligned)
        asked.compiled.setdefault(self.__name__, []).append(entry)
        kernel = self.device_caches[device][0][key] = Kernel(asked, self.__name__, entry)
        return kernel

    def tune(self, key, configs, benchmark):
        if len(configs) > 1:
            asked.tuned.setdefault(self.base_fn.__name__, []).append(key)
        benchmark()
        return False

    JITFunction._do_compile = compile
    # Nothing is written to disk.
    Autotuner.check_disk_cache = tune
    return asked
