// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers of emitted files that stand between a call and its launches: autograd, torch.func,
// operators that are left to PyTorch.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::emit {

inline constexpr llvm::StringLiteral registerText = R"py(def _register(name, launch, mutates=()):
    """Makes of a function that allocates the results the operator that launches.

    PyTorch keeps operators whole: tracing only asks what their results are.
    """

    def register(allocate):
        op = torch.library.custom_op(f"nereid::{name}", launch, mutates_args=mutates)
        op.register_fake(allocate)
        return op

    return register
)py";

inline constexpr llvm::StringLiteral callText = R"py(def _call(direct, operator, *arguments):
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

inline constexpr llvm::StringLiteral noGradientText = R"py(def _no_gradient(ctx, *gradients):
    """The backward pass of what has none."""
    raise RuntimeError("no gradient is computed here: convert with --backward")
)py";

inline constexpr llvm::StringLiteral plainCallText = R"py(class _Plain(torch.autograd.Function):
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

inline constexpr llvm::StringLiteral gradientCallText =
    R"py(def _call_with_gradient(direct, operator, gradient, *arguments):
    """Launches; by `gradient` where one is wanted, as one operator where PyTorch traces."""
    if torch.is_grad_enabled():
        for argument in arguments:
            if isinstance(argument, torch.Tensor) and argument.requires_grad:
                return gradient(*arguments)
    if torch.compiler.is_compiling():
        return operator(*arguments)
    if torch._C._are_functorch_transforms_active():
        return gradient(*arguments)
    return direct(*arguments)
)py";

inline constexpr llvm::StringLiteral groupedGradientText =
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

inline constexpr llvm::StringLiteral onceDifferentiableText =
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

inline constexpr llvm::StringLiteral usedOutputsText =
    R"py(def _like(*outputs):
    """What a gradient of zeros is made of."""
    return [(x.shape, x.dtype, x.device) for x in outputs]


def _of_used_outputs(outputs, needs):
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

inline constexpr llvm::StringLiteral transformText = R"py(@functools.cache
def _transform(launch, gradient=None, backward=None):
    """A program in the form that torch.func takes; vmap calls it for each part of a batch."""

    def run_forward(*inputs):
        return launch(*inputs)

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

    methods = {"forward": run_forward, "setup_context": save}
    methods |= {"backward": run_backward, "vmap": run_batch}
    methods = {name: staticmethod(method) for name, method in methods.items()}
    form = type("Transformed", (torch.autograd.Function,), methods)
    return form.apply
)py";

inline constexpr llvm::StringLiteral refuseTransformText = R"py(def _refuse_transforms(name):
    """Raises under torch.func: its transforms see nothing of what kernels write to arguments."""
    if torch.compiler.is_compiling() or not torch._C._are_functorch_transforms_active():
        return
    message = "writes to an argument, which torch.func does not follow"
    raise RuntimeError(f"{name}: {message}: call it outside, or the original here")
)py";

inline constexpr llvm::StringLiteral torchResultsText = R"py(def _torch_results(found, *expected):
    """What PyTorch computed, row-major; raises unless it has the dtypes and sizes expected."""
    results = []
    for result, (dtype, sizes) in zip([found] if len(expected) == 1 else found, expected):
        if result.dtype != dtype or tuple(result.shape) != sizes:
            message = f"{result.dtype} of sizes {tuple(result.shape)}, expected {dtype} of {sizes}"
            raise RuntimeError(f"PyTorch computed {message}")
        results.append(result.contiguous())
    return results[0] if len(results) == 1 else results
)py";

inline constexpr llvm::StringLiteral torchGradientsText =
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

} // namespace nereid::emit
