// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Prelude.h"

#include "emit/CommandLine.h"
#include "emit/CudaGraphText.h"

namespace nereid::emit {

static constexpr llvm::StringLiteral chooseText =
    R"py(def _choose(*configs):
    """All configurations, the preferred one first; NEREID_CONFIG=first keeps only that."""
    return list(configs[:1] if os.environ.get("NEREID_CONFIG") == "first" else configs)


def _prune(configs, named_args, **options):
    """Times tell configurations apart only where megabytes move."""
    moved = sum(getattr(argument, "nbytes", 0) for argument in named_args.values())
    return configs if moved >= 1 << 22 else configs[:1]
)py";

static constexpr llvm::StringLiteral launcherText =
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
            return self.fn[grid](*arguments, **options)
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
            compiled = self.fn[note](*arguments, **options)
        # AMD's kernels hang on the sizes of tensors too.
        if torch.version.hip or not isinstance(compiled, CompiledKernel):
            return
        if len(self.known) >= 1000:
            self.known.clear()
        constants = dict([*found.items()][len(arguments) :])
        self.known[key] = compiled, constants, (*constants.values(),)
)py";

static constexpr llvm::StringLiteral precisionText = R"py(def _convolution_precision(x):
    """What convolutions of float32 on the device of `x` take of their operands, as PyTorch's."""
    return "tf32" if x.is_cuda and torch.backends.cudnn.allow_tf32 else "tf32x3"
)py";

static constexpr llvm::StringLiteral ceilDivText = R"py(def _cdiv(x, y):
    """x / y rounded up; triton.cdiv takes a microsecond."""
    return -(-x // y)
)py";

static constexpr llvm::StringLiteral powerText = R"py(def _next_power_of_2(n):
    """The least power of 2 that is not below n; triton's takes a microsecond."""
    return 1 << max(int(n) - 1, 0).bit_length()
)py";

static constexpr llvm::StringLiteral checkTensorText =
    R"py(def _check_tensor(name, x, rank, dtype, device=None):
    """Raises unless `x` is a tensor of this rank and dtype on this device."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name}: expected a tensor, found {type(x).__name__}")
    if x.dim() != rank or x.dtype != dtype:
        found = f"{x.dim()} dimensions of {x.dtype}"
        if isinstance(x, torch.nn.Parameter) and x.dtype != dtype:
            found += "; a module that was moved is converted with --to"
        raise TypeError(f"{name}: expected {rank} dimensions of {dtype}, found {found}")
    if x.layout != torch.strided:
        raise TypeError(f"{name}: expected a dense tensor, found {x.layout}")
    if device is not None and x.device != device:
        raise ValueError(f"{name}: expected on {device}, found on {x.device}")
)py";

static constexpr llvm::StringLiteral movedText =
    R"py(def _moved_to(dtype):
    """A class whose modules are of this type, as after `module.to(dtype)`."""

    def move(cls):
        construct = cls.__init__

        @functools.wraps(construct)
        def moved(self, *arguments, **options):
            construct(self, *arguments, **options)
            self.to(dtype)

        cls.__init__ = moved
        return cls

    return move
)py";

static constexpr llvm::StringLiteral checkApartText = R"py(def _reach(x):
    """The number of bytes from the first element to the end of the last."""
    if x.is_contiguous():
        return x.nbytes
    steps = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride()))
    return (1 + steps) * x.element_size() if x.numel() else 0


def _lie_apart(*tensors):
    """Whether all lie in pieces of memory of their own."""
    end = 0
    for start, size in sorted([(x.data_ptr(), _reach(x)) for x in tensors]):
        if start < end:
            return False
        end = start + size
    return True


def _shares(x, y):
    """Whether two tensors share memory. Parts of one tensor do not where an axis parts them."""
    if _lie_apart(x, y):
        return False
    if x.dtype != y.dtype or x.stride() != y.stride():
        return True
    apart = (y.data_ptr() - x.data_ptr()) // x.element_size()
    for step in filter(None, x.stride()):
        within = [dim for dim, stride in enumerate(x.stride()) if stride % step]
        first, second = (
            1 + sum((a.size(d) - 1) * a.stride(d) for d in within) for a in (x, y)
        )
        if first <= apart % step <= step - second:
            return False
    return True


def _check_apart(written, used):
    """Raises if an argument shares memory with one written to before it is used."""
    for name, x, count in used:
        for other, y in written[:count]:
            if other != name and _shares(x, y):
                raise ValueError(
                    f"{name}: shares memory with {other}, which is written to first"
                )
)py";

static constexpr llvm::StringLiteral apartCopyText = R"py(def _copy_if_shared(x, *written):
    """`x`, or a copy of it if kernels write to its memory while others read it."""
    return x.clone() if any(_shares(x, y) for y in written) else x
)py";

static constexpr llvm::StringLiteral checkWrittenText = R"py(def _check_written(name, x):
    """Raises unless the elements of `x` lie apart, and if autograd would record the write."""
    if not x.is_contiguous():
        reach = 0
        for stride, size in sorted(zip(x.stride(), x.shape)):
            if size > 1 and stride <= reach:
                raise RuntimeError(
                    f"{name}: is written to, and its elements share memory"
                )
            reach += stride * max(size - 1, 0)
    if x.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(f"{name}: is written to, and requires a gradient")


def _note_writes(*tensors):
    """Tells autograd that kernels wrote to these tensors."""
    for x in tensors:
        if not x.is_inference():
            torch.autograd.graph.increment_version(x)
)py";

static constexpr llvm::StringLiteral checkNumberText =
    R"py(def _check_number(name, x, kind):
    """Raises unless `x` is a Python number of this kind, or one that tracing knows."""
    kinds = {
        bool: bool,
        int: (int, torch.SymInt),
        float: (float, int, torch.SymFloat, torch.SymInt),
    }
    if not isinstance(x, kinds[kind]):
        raise TypeError(f"{name}: expected {kind.__name__}, found {type(x).__name__}")
)py";

static constexpr llvm::StringLiteral seedText = R"py(def _draw_seed(seed, device):
    """The seed on a device; PyTorch's generator of that device draws one that is not given."""
    if isinstance(seed, torch.Tensor):
        return seed
    if seed is None:
        return torch.randint(2**63 - 1, (), dtype=torch.int64, device=device)
    _check_number("seed", seed, int)
    return torch.full((), seed, dtype=torch.int64, device=device)
)py";

static constexpr llvm::StringLiteral checkSizeText = R"py(def _check_size(name, x):
    """Raises where `x` is negative: the kernels take it for a size or a bound of a slice."""
    if x < 0:
        raise ValueError(f"{name}: expected a size, which is at least 0, found {x}")
)py";

static constexpr llvm::StringLiteral checkShapeText = R"py(def _check_shape(name, x, sizes):
    """Raises unless `x` has these sizes; None stands for any."""
    if x.shape == sizes:
        return
    if any(size not in (None, found) for size, found in zip(sizes, x.shape)):
        expected = ", ".join("any" if size is None else str(size) for size in sizes)
        raise ValueError(f"{name}: expected sizes ({expected}), found {tuple(x.shape)}")
)py";

static constexpr llvm::StringLiteral checkTensorsText =
    R"py(def _check_tensors(device, dtype, sizes, /, **tensors):
    """Raises unless each tensor is of this dtype and these sizes, on this device."""
    for name, x in tensors.items():
        _check_tensor(name, x, len(sizes), dtype, device)
        _check_shape(name, x, sizes)
)py";

static constexpr llvm::StringLiteral checkTableText =
    R"py(def _check_table(kind, table, tensors, device=None):
    """The tensors by name; raises unless they are of the types and sizes of the table."""
    for (path, (dtype, sizes)), x in zip(table.items(), tensors):
        is_known = isinstance(x, torch.Tensor) and x.shape == sizes and x.dtype == dtype
        if not is_known or x.layout != torch.strided or x.device != device:
            _check_tensor(path, x, len(sizes), dtype, device)
            _check_shape(path, x, sizes)
            device = x.device
    return kind(*tensors)
)py";

static constexpr llvm::StringLiteral checkNumbersText =
    R"py(def _check_numbers(kind, numbers):
    """The numbers by name."""
    for name, x in zip(kind._fields, numbers):
        if type(x) is not float:
            _check_number(name, x, float)
    return kind(*numbers)
)py";

static constexpr llvm::StringLiteral getTensorsText =
    R"py(def _tensors_of(modules, kind, table):
    """The tensors of modules by name: `table` says where they are."""
    tensors = []
    for path in table:
        place, _, name = path.rpartition(".")
        module, x = _module_at(modules, place), None
        if module is not None:
            x = module._parameters.get(name, module._buffers.get(name))
        if x is None:
            x = functools.reduce(getattr, path.split("."), modules[""])
        tensors.append(x)
    return kind(*tensors)
)py";

static constexpr llvm::StringLiteral checkStateText = R"py(def _check_state(state, *others):
    """Raises unless what kernels write to lies in memory that no other argument has."""
    names = state._fields
    for name, x in zip(names, state):
        _check_written(name, x)
    tensors = (*state, *others)
    if _lie_apart(*tensors):
        return
    for place, name in enumerate(names):
        for y in (*tensors[:place], *tensors[place + 1 :]):
            if _shares(state[place], y):
                raise ValueError(
                    f"{name}: is written to, and shares memory with another argument"
                )
)py";

static constexpr llvm::StringLiteral writeText = R"py(def _write(state, values):
    """Copies what training computed to the module: in one launch for each type of elements."""
    with torch.no_grad():
        for dtype in dict.fromkeys(x.dtype for x in values):
            pairs = [(x, y) for x, y in zip(state, values) if y.dtype == dtype]
            torch._foreach_copy_([x for x, _ in pairs], [y for _, y in pairs])
)py";

static constexpr llvm::StringLiteral groupedGradientText =
    R"py(def _pick(kept, kind, tensors):
    """Those of a module's tensors that `kept` has too."""
    return [x for name, x in zip(kind._fields, tensors) if name in kept._fields]


def _get_needs(ctx, arguments):
    """Of each argument whether a gradient of it is asked for."""
    needs = ctx.needs_input_grad
    if isinstance(needs[-1], (list, tuple)):
        needs = _flat(*needs)
    return dict(zip(arguments, needs))


def _refuse_gradients(ctx, arguments, names):
    """Raises where one of these arguments asks for a gradient."""
    needs = _get_needs(ctx, arguments)
    for name in names:
        if needs[name]:
            raise ValueError(f"{name}: no gradient is computed for it")


def _ask(needs, gradients, count=None):
    """Of the first gradients whether an argument that they are of asks for them."""
    every = [names.split("+") for names in gradients.split()[:count]]
    return [any(needs[name] for name in names) for names in every]


def _give(needs, gradients, found):
    """The gradients of the arguments, where they are asked for."""
    given = {}
    for names, x in zip(gradients.split(), found):
        given |= dict.fromkeys(names.split("+"), x)
    return tuple(given.get(name) if need else None for name, need in needs.items())


def _nested(backward):
    """Gradients as an operator gives them: those of tensors in a list as one list."""

    def run(ctx, *gradients):
        return _nest(*backward(ctx, *gradients))

    return run
)py";

static constexpr llvm::StringLiteral checkKnownText = R"py(def _check_known(name, value, known):
    """Raises unless `value` is what the kernels were made for."""
    if isinstance(value, torch.Tensor) or repr(value) != repr(known):
        raise ValueError(
            f"{name}: the kernels are made for {known!r}, found {value!r}; convert again for it"
        )
)py";

static constexpr llvm::StringLiteral moduleAtText = R"py(def _module_at(modules, path):
    """The module at a path, or None; `modules` remembers those on the way from the root."""
    if path not in modules:
        parent, _, name = path.rpartition(".")
        owner = _module_at(modules, parent)
        modules[path] = None if owner is None else owner._modules.get(name)
    return modules[path]
)py";

static constexpr llvm::StringLiteral checkModulesText = R"py(def _paths(text):
    """The paths that `h.0:12.mlp` stands for; a tuple stands for its steps."""
    if isinstance(text, tuple):
        return [".".join(text)]
    paths = [()]
    for step in text.split(".") if text else ():
        first, is_run, end = step.partition(":")
        steps = map(str, range(int(first), int(end))) if is_run else (step,)
        paths = [(*path, each) for each in steps for path in paths]
    return [".".join(path) for path in paths]


_known_paths = functools.cache(_paths)


def _are_alike(x, y):
    """Whether two tuples have equal elements of equal types, such as strides; False if unsure."""
    if type(x) is not tuple or x != y:
        return False
    types = [*map(type, x)]
    return types == [*map(type, y)] and tuple not in types


def _check_modules(root, made):
    """The modules by path; raises unless they and their settings are what kernels were made for."""
    modules = {"": root}
    paths = _paths if torch.compiler.is_compiling() else _known_paths
    for kind, hooks, settings, *places in made:
        for path in (path for text in places for path in paths(text)):
            module = _module_at(modules, path)
            found = type(module).__name__
            if path and found != kind:
                found = found.removeprefix("Parametrized").removeprefix("FSDP")
                if found != kind:
                    message = f"the kernels are made for {kind}, found {found}"
                    raise ValueError(f"self.{path}: {message}")
            added = len(module._forward_hooks) + len(module._forward_pre_hooks) - hooks
            if path and added:
                message = "hooks were added or removed; convert again"
                raise ValueError(f"self.{path}: {message}")
            own = module.__dict__
            if "forward" in own:
                where = f"self.{path}" if path else "self"
                message = "forward was replaced; convert again with it"
                raise ValueError(f"{where}: {message}")
            for name, known in settings.items():
                value = own.get(name, own)
                if value is own:
                    value = getattr(module, name, None)
                if value is not known and not _are_alike(value, known):
                    where = f"self.{path}.{name}" if path else f"self.{name}"
                    _check_known(where, value, known)
    return modules
)py";

static constexpr llvm::StringLiteral checkConstantText =
    R"py(_CONSTANTS = WeakTensorKeyDictionary()


def _check_constant(name, x, shape, total, weighted, magnitude):
    """Raises unless a tensor that the constructor made has the elements that the kernels have."""
    if torch.compiler.is_compiling() or _CONSTANTS.get(x) == x._version:
        return
    elements = x.detach().double().flatten().nan_to_num(nan=3, posinf=5, neginf=7)
    weights = torch.arange(x.numel(), device=x.device) * 7919 % 1009
    sums = (elements.sum(), (elements * weights).sum(), elements.abs().sum())
    bounds = (magnitude, magnitude * 1009, magnitude)
    for found, known, bound in zip(sums, (total, weighted, magnitude), bounds):
        if x.shape != shape or abs(found.item() - known) > 1e-4 * bound:
            raise ValueError(f"{name}: the kernels are made for other values; convert again")
    _CONSTANTS[x] = x._version
)py";

static constexpr llvm::StringLiteral cellText = R"py(def _cell(function, name):
    """What a function closes over by this name."""
    place = function.__code__.co_freevars.index(name)
    return function.__closure__[place].cell_contents
)py";

static constexpr llvm::StringLiteral restoredText = R"py(def _restored(cls, entries, attributes):
    """An object with these entries and attributes; its class has made it already."""
    made = cls.__new__(cls)
    for base in cls.__mro__:
        if base.__module__ in ("builtins", "collections"):
            for key, value in entries.items():
                base.__setitem__(made, key, value)
            break
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made
)py";

static constexpr llvm::StringLiteral dropoutScaleText = R"py(def _dropout_scale(p):
    """By what a dropout with probability `p` multiplies what it keeps."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return 1.0 / (1.0 - p) if p < 1 else 0.0
)py";

static constexpr llvm::StringLiteral callText = R"py(def _call(direct, operator, *arguments):
    """Launches, as one operator where PyTorch traces or wants a gradient."""
    if torch.compiler.is_compiling():
        return operator(*arguments)
    if torch._C._are_functorch_transforms_active():
        return _transform(direct)(*arguments)
    if torch.is_grad_enabled():
        for argument in arguments:
            if getattr(argument, "requires_grad", False):
                return operator(*arguments)
    return direct(*arguments)
)py";

static constexpr llvm::StringLiteral noGradientText = R"py(def _no_gradient(ctx, *gradients):
    """The backward pass of what has none."""
    raise RuntimeError("no gradient is computed here: convert with --backward")
)py";

static constexpr llvm::StringLiteral plainCallText = R"py(class _Plain(torch.autograd.Function):
    """Launches; only the backward pass is refused."""

    backward = staticmethod(_no_gradient)

    @staticmethod
    def forward(ctx, direct, *arguments):
        return direct(*arguments)


def _call_plain(direct, *arguments):
    """Launches; what comes out of a tensor with a gradient says that it has none."""
    tracing = torch.compiler.is_compiling()
    if not tracing and torch._C._are_functorch_transforms_active():
        return _transform(direct)(*arguments)
    if torch.is_grad_enabled() and not tracing:
        for argument in arguments:
            if getattr(argument, "requires_grad", False):
                return _Plain.apply(direct, *arguments)
    return direct(*arguments)
)py";

static constexpr llvm::StringLiteral gradientCallText =
    R"py(def _call_with_gradient(direct, operator, gradient, *arguments):
    """Launches; by `gradient` where one is wanted, as one operator where PyTorch traces."""
    if torch.is_grad_enabled():
        for argument in arguments:
            if getattr(argument, "requires_grad", False):
                return gradient(*arguments)
    if torch.compiler.is_compiling():
        return operator(*arguments)
    if torch._C._are_functorch_transforms_active():
        return gradient(*arguments)
    return direct(*arguments)
)py";

static constexpr llvm::StringLiteral onceDifferentiableText =
    R"py(def _once_differentiable(backward):
    """Tells who asks for the gradient of a gradient, where PyTorch would give a part of it."""
    launch = once_differentiable(backward)

    def run(ctx, *gradients):
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            message = "create_graph=True: these gradients have none of their own"
            raise RuntimeError(f"{message} (they are once_differentiable)")
        return launch(ctx, *gradients)

    run.plain = backward
    return run
)py";

static constexpr llvm::StringLiteral usedOutputsText =
    R"py(def _of_used_outputs(outputs, needs):
    """Gives an input no gradient where no output that is used depends on it, as PyTorch does.

    `outputs` are those with a gradient, `needs` has for each input those that it reaches.
    """

    def wrap(backward):
        def run(ctx, *gradients):
            used = {place for place in outputs if gradients[place] is not None}
            if len(used) == len(outputs):
                return backward(ctx, *gradients)
            given = list(gradients)
            for place, (shape, dtype, device) in zip(outputs, ctx.like):
                if place not in used:
                    zero = torch.zeros((), dtype=dtype, device=device)
                    given[place] = zero.expand(shape)
            found = backward(ctx, *given)
            found = found if isinstance(found, tuple) else (found,)
            return tuple(x if used & {*need} else None for x, need in zip(found, needs))

        return run

    return wrap
)py";

static constexpr llvm::StringLiteral transformText = R"py(@functools.cache
def _transform(launch, gradient=None, backward=None):
    """A program in the form that torch.func takes; vmap calls it for each part of a batch."""

    def save(ctx, inputs, output):
        if gradient is not None:
            gradient.save(ctx, inputs, output)

    def run_backward(ctx, *gradients):
        if gradient is None:
            message = "gradients have none of their own, and programs need --backward"
            raise RuntimeError(f"torch.func: no gradient is computed here: {message}")
        ctx.launch = backward and _transform(backward)
        return gradient.backward.plain(ctx, *gradients)

    def run_batch(info, dims, *arguments):
        def get_part(place):
            for x, dim in zip(arguments, dims):
                is_batched = isinstance(x, torch.Tensor) and dim is not None
                yield x.select(dim, place) if is_batched else x

        parts = [form.apply(*get_part(place)) for place in range(info.batch_size)]
        if isinstance(parts[0], torch.Tensor):
            return torch.stack(parts), 0
        return tuple(map(torch.stack, zip(*parts))), (0,) * len(parts[0])

    methods = {"forward": launch, "setup_context": save}
    methods |= {"backward": run_backward, "vmap": run_batch}
    methods = {name: staticmethod(method) for name, method in methods.items()}
    form = type("Transformed", (torch.autograd.Function,), methods)
    return form.apply
)py";

static constexpr llvm::StringLiteral refuseTransformText = R"py(def _refuse_transforms(name):
    """Raises under torch.func: its transforms see nothing of what kernels write to arguments."""
    if torch.compiler.is_compiling() or not torch._C._are_functorch_transforms_active():
        return
    message = "writes to an argument, which torch.func does not follow"
    raise RuntimeError(f"{name}: {message}: call it outside, or the original here")
)py";

static constexpr llvm::StringLiteral checkStrideText =
    R"py(def _check_stride(name, x, dim, stride):
    """Raises unless dimension `dim` of `x` has this stride or at most one element."""
    found = x.stride(dim)
    if x.shape[dim] > 1 and x.numel() > 0 and found != stride:
        message = f"{name}: expected stride {stride} at dim {dim}, found {found}"
        raise ValueError(message)
)py";

static constexpr llvm::StringLiteral checkContiguousText = R"py(def _check_contiguous(name, x):
    """Raises unless `x` has row-major strides."""
    if not x.is_contiguous():
        raise ValueError(f"{name}: expected row-major strides, found {x.stride()}")
)py";

static constexpr llvm::StringLiteral emptyLikeText = R"py(def _empty_like(shape, dtype, *inputs):
    """An empty tensor laid out as PyTorch lays out a pointwise result of these inputs.

    Dimensions are dense in the order of the inputs' strides; the first input that tells
    two dimensions apart decides, and row-major order where none does.
    """
    first, device = inputs[0], inputs[0].device
    if all(x.shape == shape and x.stride() == first.stride() for x in inputs):
        if first.is_contiguous():
            return torch.empty(shape, dtype=dtype, device=device)
        return torch.empty_like(first, dtype=dtype)
    whole = [x.shape == shape for x in inputs]
    if any(whole) and all(x.is_contiguous() for x in inputs):
        return torch.empty(shape, dtype=dtype, device=device)
    strides = [x.expand(shape).stride() for x in inputs]

    def is_outer(a, b):
        for stride in strides:
            if stride[a] == 0 or stride[b] == 0:
                continue
            if stride[a] != stride[b]:
                return stride[a] > stride[b]
            if shape[a] > shape[b]:
                return True
        return None

    order = list(reversed(range(len(shape))))
    for i in range(1, len(order)):
        place = i
        for j in reversed(range(i)):
            outer = is_outer(order[j], order[place])
            if outer:
                order[j], order[place] = order[place], order[j]
                place = j
            elif outer is not None:
                break
    result, stride = [0] * len(shape), 1
    for dim in order:
        result[dim] = stride
        stride *= max(shape[dim], 1)
    return torch.empty_strided(shape, result, dtype=dtype, device=device)
)py";

static constexpr llvm::StringLiteral torchResultsText = R"py(def _torch_results(found, *expected):
    """What PyTorch computed, row-major; raises unless it has the dtypes and sizes expected."""
    results = []
    for result, (dtype, sizes) in zip([found] if len(expected) == 1 else found, expected):
        if result.dtype != dtype or tuple(result.shape) != sizes:
            message = f"{result.dtype} of sizes {tuple(result.shape)}, expected {dtype} of {sizes}"
            raise RuntimeError(f"PyTorch computed {message}")
        results.append(result.contiguous())
    return results[0] if len(results) == 1 else results
)py";

static constexpr llvm::StringLiteral torchGradientsText =
    R"py(def _torch_gradients(function, inputs, asked, gradients):
    """The gradients of what PyTorch computes, which it computes again; zeros where not asked."""
    places = [place for place, is_asked in asked.items() if is_asked]
    with torch.enable_grad():
        inputs = [x.detach().requires_grad_(place in places) for place, x in enumerate(inputs)]
        results = function(*inputs) if places else []
    if isinstance(results, torch.Tensor):
        results = [results]
    reached = [n for n in gradients if places and results[n].requires_grad]
    found = {}
    if reached:
        grads = torch.autograd.grad(
            [results[n] for n in reached],
            [inputs[place] for place in places],
            [gradients[n] for n in reached],
            allow_unused=True,
        )
        found = dict(zip(places, grads))
    every = [found.get(place) for place in asked]
    every = [torch.zeros_like(inputs[n]) if g is None else g for n, g in zip(asked, every)]
    return every[0] if len(every) == 1 else every
)py";

std::vector<std::string> getImports(const FileParts &parts) {
  std::string future, standard, others;
  std::vector<std::string> modules;
  if (parts.usesCommandLine)
    modules = getCommandLineImports();
  if (parts.usesLauncher)
    modules.insert(modules.end(), {"functools", "threading"});
  if (parts.usesTransform || parts.usesModulesCheck || parts.usesTensorLookup)
    modules.push_back("functools");
  if (parts.usesMath)
    modules.push_back("math");
  if (parts.usesConfigs || parts.usesCommandLine)
    modules.push_back("os");
  llvm::sort(modules);
  modules.erase(llvm::unique(modules), modules.end());
  for (const std::string &name : modules)
    standard += "import " + name + "\n";
  if (parts.usesTorch)
    others += "import torch\n";
  if (parts.usesFunctional)
    others += "import torch.nn.functional as F\n";
  if (parts.usesCommandLine)
    others += "import torch.utils._pytree as pytree\n";
  if (parts.usesTriton || parts.usesCommandLine)
    others += "import triton\nimport triton.language as tl\n";
  if (parts.usesNn)
    others += "from torch import nn\n";
  if (parts.usesOnceDifferentiable)
    others += "from torch.autograd.function import once_differentiable\n";
  if (parts.usesCommandLine)
    others += "from torch.overrides import TorchFunctionMode\n";
  if (parts.usesCommandLine && parts.usesPrecision)
    others += "from torch.utils._python_dispatch import TorchDispatchMode\n";
  if (parts.usesConstantCheck)
    others += "from torch.utils.weak import WeakTensorKeyDictionary\n";
  if (parts.usesLauncher)
    others += "from triton.compiler import CompiledKernel\n";
  if (parts.usesLibdevice)
    others += "from triton.language.extra import libdevice\n";
  if (parts.hasGroups || parts.usesCudaGraphs)
    standard += std::string("from collections import ") +
                (!parts.hasGroups       ? "OrderedDict"
                 : parts.usesCudaGraphs ? "OrderedDict, namedtuple"
                                        : "namedtuple") +
                "\n";
  for (const std::string &line : parts.imports)
    (llvm::StringRef(line).starts_with("from __future__") ? future : standard) += line + "\n";
  std::vector<std::string> groups;
  for (const std::string &group : {future, standard, others})
    if (!group.empty())
      groups.push_back(group);
  return groups;
}

/// The text of a function that calls programs. Where these take the tensors of a module in lists,
/// autograd and torch.func are given them one by one.
static std::string spellCallText(llvm::StringRef text, const FileParts &parts) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> spellings[] = {
      {"for argument in arguments:", "for argument in _flat(*arguments):"},
      {"[x for x in arguments if", "[x for x in _flat(*arguments) if"},
      {"gradient(*arguments)", "gradient(*_flat(*arguments))"},
      {"_transform(direct)(*arguments)", "_transform(direct, nest=_nest)(*_flat(*arguments))"},
      {"_Plain.apply(direct, *arguments)", "_Plain.apply(direct, *_flat(*arguments))"},
      {"    def forward(ctx, direct, *arguments):\n        return direct(*arguments)",
       "    def forward(ctx, direct, *arguments):\n        return direct(*_nest(*arguments))"},
      {"_transform(launch, gradient=None, backward=None)",
       "_transform(launch, gradient=None, backward=None, nest=None)"},
      {"    def save(ctx, inputs, output):\n",
       "    def run_forward(*arguments):\n"
       "        return launch(*(nest(*arguments) if nest else arguments))\n\n"
       "    def save(ctx, inputs, output):\n"},
      {"gradient.save(ctx, inputs, output)", "gradient.save(ctx, nest(*inputs), output)"},
      {"\"forward\": launch", "\"forward\": run_forward"},
      {"        def get_part(place):\n"
       "            for x, dim in zip(arguments, dims):\n"
       "                is_batched = isinstance(x, torch.Tensor) and dim is not None\n"
       "                yield x.select(dim, place) if is_batched else x\n",
       "        def get_part(place, arguments=arguments, dims=dims):\n"
       "            for x, dim in zip(arguments, dims):\n"
       "                if isinstance(x, (list, tuple)):\n"
       "                    yield [*get_part(place, x, dim)]\n"
       "                    continue\n"
       "                is_batched = isinstance(x, torch.Tensor) and dim is not None\n"
       "                yield x.select(dim, place) if is_batched else x\n"},
  };
  std::string spelled = text.str();
  auto spell = [&](llvm::StringRef from, llvm::StringRef to) {
    for (size_t at = 0; (at = spelled.find(from.str(), at)) != std::string::npos; at += to.size())
      spelled.replace(at, from.size(), to.str());
  };
  for (auto [from, to] : spellings)
    if (parts.hasGroups)
      spell(from, to);
  return spelled;
}

/// The same, where launches without a gradient may be replayed.
static std::string spellReplay(llvm::StringRef text, const FileParts &parts) {
  constexpr llvm::StringLiteral launches = "    return direct(*arguments)\n";
  std::string spelled = spellCallText(text, parts);
  if (parts.usesCudaGraphs && llvm::StringRef(spelled).ends_with(launches))
    spelled.replace(spelled.size() - launches.size(), launches.size(),
                    "    return _replay(direct, arguments)\n");
  return spelled;
}

std::vector<std::string> getDecorators(const FileParts &parts) {
  std::vector<std::string> texts;
  if (parts.usesConfigs)
    texts.push_back(chooseText.str());
  if (parts.usesLauncher)
    texts.push_back(launcherText.str());
  return texts;
}

std::vector<std::string> getPrelude(const FileParts &parts) {
  std::vector<std::string> texts;
  if (parts.usesPrecision)
    texts.push_back(precisionText.str());
  if (parts.usesCeilDiv)
    texts.push_back(ceilDivText.str());
  if (parts.usesNextPower)
    texts.push_back(powerText.str());
  if (parts.usesTensorCheck)
    texts.push_back(checkTensorText.str());
  if (parts.usesMovedClass)
    texts.push_back(movedText.str());
  if (parts.usesApartCheck)
    texts.push_back(checkApartText.str());
  if (parts.usesApartCopy)
    texts.push_back(apartCopyText.str());
  if (parts.usesWriteCheck)
    texts.push_back(checkWrittenText.str());
  if (parts.usesNumberCheck)
    texts.push_back(checkNumberText.str());
  if (parts.usesSeed)
    texts.push_back(seedText.str());
  if (parts.usesSizeCheck)
    texts.push_back(checkSizeText.str());
  if (parts.usesShapeCheck)
    texts.push_back(checkShapeText.str());
  if (parts.usesTensorTable)
    texts.push_back(checkTensorsText.str());
  if (parts.usesGroupTable)
    texts.push_back(checkTableText.str());
  if (parts.usesNumbersCheck)
    texts.push_back(checkNumbersText.str());
  if (parts.usesTensorLookup || parts.usesModulesCheck)
    texts.push_back(moduleAtText.str());
  if (parts.usesTensorLookup)
    texts.push_back(getTensorsText.str());
  if (parts.usesStateCheck)
    texts.push_back(checkStateText.str());
  if (parts.usesStateWrite)
    texts.push_back(writeText.str());
  if (parts.usesStrideCheck)
    texts.push_back(checkStrideText.str());
  if (parts.usesContiguousCheck)
    texts.push_back(checkContiguousText.str());
  if (parts.usesConstantCheck)
    texts.push_back(checkConstantText.str());
  if (parts.usesCell)
    texts.push_back(cellText.str());
  if (parts.usesRestored)
    texts.push_back(restoredText.str());
  if (parts.usesDropoutScale)
    texts.push_back(dropoutScaleText.str());
  if (parts.usesKnownCheck)
    texts.push_back(checkKnownText.str());
  if (parts.usesModulesCheck)
    texts.push_back(checkModulesText.str());
  if (parts.usesTorchResults)
    texts.push_back(torchResultsText.str());
  if (parts.usesTorchGradients)
    texts.push_back(torchGradientsText.str());
  if (parts.usesTransform)
    texts.push_back(spellCallText(transformText, parts));
  if (parts.usesTransformRefusal)
    texts.push_back(refuseTransformText.str());
  if (parts.usesCudaGraphs)
    texts.push_back(spellCallText(cudaGraphText, parts));
  if (parts.usesCall)
    texts.push_back(spellReplay(callText, parts));
  if (parts.usesNoGradient)
    texts.push_back(noGradientText.str());
  if (parts.usesPlainCall)
    texts.push_back(spellCallText(plainCallText, parts));
  if (parts.usesGradientCall)
    texts.push_back(spellReplay(gradientCallText, parts));
  if (parts.usesOnceDifferentiable)
    texts.push_back(onceDifferentiableText.str());
  if (parts.usesGroupedGradient)
    texts.push_back(groupedGradientText.str());
  if (parts.usesUsedOutputs)
    texts.push_back(usedOutputsText.str());
  if (parts.usesEmptyLike)
    texts.push_back(emptyLikeText.str());
  return texts;
}

} // namespace nereid::emit
