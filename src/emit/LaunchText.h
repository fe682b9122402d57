// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers of emitted files that launch: configurations, the launcher, grids and what new
// tensors are like.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::emit {

inline constexpr llvm::StringLiteral chooseText =
    R"py(def _choose(configs):
    """All configurations, the preferred one first; NEREID_CONFIG=first keeps only that."""
    configs = [*configs]
    return configs[:1] if os.environ.get("NEREID_CONFIG") == "first" else configs


def _prune(configs, named_args, **options):
    """Times tell configurations apart only where megabytes move."""
    moved = sum(getattr(argument, "nbytes", 0) for argument in named_args.values())
    return configs if moved >= 1 << 22 else configs[:1]


_TUNING = {"prune_configs_by": {"early_config_prune": _prune}, "cache_results": True}
)py";

inline constexpr llvm::StringLiteral blocksText =
    R"py(def _blocks(n, name="BLOCK"):
    """A grid: a program for each block of n, of the size that is tuned."""
    return lambda meta: (_cdiv(n, meta[name]),)
)py";

inline constexpr llvm::StringLiteral turnsText =
    R"py(def _turns(count, grid):
    """Which turns of a loop each launch makes: all, if its programs run at once, or one."""
    device = torch.cuda.current_device() if torch.cuda.is_available() else None
    if not triton.knobs.runtime.interpret and device is not None:
        properties = torch.cuda.get_device_properties(device)
        if grid[0] <= properties.multi_processor_count:
            return [(0, count)]
    return [(turn, turn + 1) for turn in range(count)]
)py";

inline constexpr llvm::StringLiteral launcherText =
    R"py(def _is_set(hook):
    """Whether somebody listens: Triton 3.5 and later have chains of hooks, which may be empty."""
    return bool(getattr(hook, "calls", hook))


class _Launcher:
    """Launches a kernel, `kernel[grid](...)`, and remembers what Triton found for it.

    Triton looks at every argument to find a configuration and the code compiled for it.
    Where sizes, strides and alignment are those of an earlier launch, so are both: the
    types of tensors are the same each time.
    """

    def __init__(self, fn):
        self.fn, self.known, self.lock = fn, {}, threading.Lock()
        kernel = fn if isinstance(fn, triton.JITFunction) else fn.fn
        free = getattr(kernel, "do_not_specialize", ())
        self.free = [place for place, name in enumerate(fn.arg_names) if name in free]

    def __getitem__(self, grid):
        return functools.partial(self.launch, grid)

    def launch(self, grid, *arguments, **options):
        """Launches on the current device and stream."""
        if torch.compiler.is_compiling():
            return self.fn[grid](*arguments, enable_fp_fusion=True, **options)
        key = []
        for x in arguments:
            if type(x) is int:
                key.append(x)
            elif isinstance(x, torch.Tensor):
                key.append(x.data_ptr() % 16)
                tensor = x
            else:
                key.append(type(x) if isinstance(x, float) else (type(x), x))
        for place in self.free:
            key[place] = arguments[place].bit_length() > 31
        key = (tensor.get_device(), *key, *options.values())
        known = self.known.get(key)
        if known is None:
            return self.find(key, grid, arguments, options)
        compiled, constants, values = known
        extents = grid(constants) if callable(grid) else grid
        x, y, z, *_ = (*extents, 1, 1)
        hooks = triton.knobs.runtime
        if _is_set(hooks.launch_enter_hook) or _is_set(hooks.launch_exit_hook):
            compiled[x, y, z](*arguments, *values)
            return
        stream = triton.runtime.driver.active.get_current_stream(key[0])
        kernel = compiled.function, compiled.packed_metadata
        compiled.run(x, y, z, stream, *kernel, None, None, None, *arguments, *values)

    def find(self, key, grid, arguments, options):
        """Launches by Triton; remembers the compiled kernel and its block sizes."""
        found = {}

        def note(meta):
            found.update(meta)
            return grid(meta) if callable(grid) else grid

        with self.lock:
            # Triton 3.10 fuses products and sums only where it is told to.
            compiled = self.fn[note](*arguments, enable_fp_fusion=True, **options)
        # AMD's kernels hang on the sizes of tensors too.
        if torch.version.hip or not isinstance(compiled, CompiledKernel):
            return
        if len(self.known) >= 1000:
            self.known.clear()
        constants = dict([*found.items()][len(arguments) :])
        self.known[key] = compiled, constants, (*constants.values(),)
)py";

inline constexpr llvm::StringLiteral alignedText =
    R"py(class _AlignedLauncher(_Launcher):
    """Tells the kernel of a power of two, ALIGN, that divides some of its numbers.

    So many elements are moved at once, 16 at most; Triton asks for multiples of 16 alone.
    """

    def __init__(self, names, fn):
        super().__init__(fn)
        self.places = [fn.arg_names.index(name) for name in names]

    def find(self, key, grid, arguments, options):
        """As every launcher, with the divisor of these numbers."""
        numbers = [arguments[place] for place in self.places]
        common = functools.reduce(operator.or_, numbers, 16)
        return super().find(key, grid, arguments, options | {"ALIGN": common & -common})


def _aligned(*names):
    """The launcher of a kernel with these numbers."""
    return functools.partial(_AlignedLauncher, names)
)py";

inline constexpr llvm::StringLiteral precisionText = R"py(def _convolution_precision(x):
    """What convolutions of float32 on the device of `x` take of their operands, as PyTorch's."""
    return "tf32" if x.is_cuda and torch.backends.cudnn.allow_tf32 else "tf32x3"
)py";

inline constexpr llvm::StringLiteral factorTypeText = R"py(def _factor_dtype(precision, *rows):
    """What factors of convolutions are stored in: halves have TF32's digits, eight a load."""
    are_halves = precision == "tf32" and not any(length % 8 for length in rows)
    return torch.float16 if are_halves else torch.float32
)py";

inline constexpr llvm::StringLiteral ceilDivText = R"py(def _cdiv(x, y):
    """x / y rounded up; triton.cdiv takes a microsecond."""
    return -(-x // y)
)py";

inline constexpr llvm::StringLiteral powerText = R"py(def _next_power_of_2(n):
    """The least power of 2 that is not below n; triton's takes a microsecond."""
    return 1 << max(int(n) - 1, 0).bit_length()
)py";

inline constexpr llvm::StringLiteral emptyLikeText = R"py(def _empty_like(shape, dtype, *inputs):
    """An empty tensor laid out as PyTorch lays out a pointwise result of these inputs."""
    device = inputs[0].device
    if all(x.shape == shape and x.is_contiguous() for x in inputs):
        return torch.empty(shape, dtype=dtype, device=device)
    strides = compute_elementwise_output_strides(*[x.expand(shape) for x in inputs])
    return torch.empty_strided(shape, strides, dtype=dtype, device=device)
)py";

} // namespace nereid::emit
