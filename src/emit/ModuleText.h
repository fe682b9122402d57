// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers of emitted classes: their submodules, tensors and state, and what constructors need.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::emit {

inline constexpr llvm::StringLiteral movedText =
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

inline constexpr llvm::StringLiteral comparedText =
    R"py(def _compared_with(*known):
    """Of a class whose constructor compares with these: refuses those of another file."""
    names = {each.__qualname__: each for each in known}

    def check(x):
        kind = x if hasattr(x, "__qualname__") else type(x)
        own = names.get(kind.__qualname__, kind)
        if own is not kind:
            raise TypeError(f"{kind.__module__}.{kind.__qualname__}: pass that of {own.__module__}")

    def decorate(cls):
        construct = cls.__init__

        @functools.wraps(construct)
        def checked(self, *arguments, **options):
            for x in (*arguments, *options.values()):
                for part in (x, *getattr(x, "__dict__", {}).values()):
                    check(part)
            construct(self, *arguments, **options)

        cls.__init__ = checked
        return cls

    return decorate
)py";

inline constexpr llvm::StringLiteral moduleAtText = R"py(def _module_at(modules, path):
    """The module at a path, or None; `modules` remembers those on the way from the root."""
    if path not in modules:
        parent, _, name = path.rpartition(".")
        owner = _module_at(modules, parent)
        modules[path] = None if owner is None else owner._modules.get(name)
    return modules[path]
)py";

inline constexpr llvm::StringLiteral getTensorsText =
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

inline constexpr llvm::StringLiteral checkModulesText = R"py(def _paths(text):
    """The paths that `h.0:12.mlp` stands for; a tuple stands for its steps."""
    if isinstance(text, tuple):
        return [".".join(text)]
    paths = [()]
    for step in text.split(".") if text else ():
        first, is_run, end = step.partition(":")
        steps = map(str, range(int(first), int(end))) if is_run else (step,)
        paths = [(*path, each) for each in steps for path in paths]
    return [".".join(path) for path in paths]


@functools.cache
def _known_paths(text):
    """These paths, remembered."""
    return _paths(text)


def _are_alike(x, y):
    """Whether two tuples have equal elements of equal types, such as strides; False if unsure."""
    if type(x) is not tuple or x != y:
        return False
    types = [*map(type, x)]
    return types == [*map(type, y)] and tuple not in types


def _part_at(modules, path):
    """The module, parameter or buffer at a path, or None."""
    place, _, name = path.rpartition(".")
    module = _module_at(modules, place)
    return None if module is None else getattr(module, name, None)


def _check_modules(root, made, shared=()):
    """The modules by path; raises unless they and their settings are what kernels were made for."""
    modules = {"": root}
    if torch.nn.modules.module._has_any_global_hook():
        raise ValueError("hooks of all modules would not be called here; remove them")
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
            added |= len(module._backward_hooks) | len(module._backward_pre_hooks)
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
    for path, first in shared:
        if _part_at(modules, path) is not _part_at(modules, first):
            message = f"was self.{first} when it was converted; convert again"
            raise ValueError(f"self.{path}: {message}")
    return modules
)py";

inline constexpr llvm::StringLiteral checkStateText = R"py(def _check_state(state, *others):
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

inline constexpr llvm::StringLiteral writeText = R"py(def _write(state, values):
    """Copies what training computed to the module: in one launch for each type of elements."""
    with torch.no_grad():
        for dtype in dict.fromkeys(x.dtype for x in values):
            pairs = [(x, y) for x, y in zip(state, values) if y.dtype == dtype]
            torch._foreach_copy_([x for x, _ in pairs], [y for _, y in pairs])
)py";

inline constexpr llvm::StringLiteral cellText = R"py(def _cell(function, name):
    """What a function closes over by this name."""
    place = function.__code__.co_freevars.index(name)
    return function.__closure__[place].cell_contents
)py";

inline constexpr llvm::StringLiteral functionNameText = R"py(def _name_of(function):
    """The name of a function or class, or what else stands in its place."""
    return getattr(function, "__name__", type(function).__name__)
)py";

inline constexpr llvm::StringLiteral madeByText = R"py(@torch.compiler.assume_constant_result
def _is_of_other(function, maker):
    """Whether another function made this one; PyTorch traces it again if it changes."""
    return getattr(function, "__qualname__", "").split(".")[-3:-2] != [maker]


def _is_made_by(function, maker):
    """Whether a function was made within the function of this name."""
    return not _is_of_other(function, maker)
)py";

inline constexpr llvm::StringLiteral hasCodeText = R"py(def _code(code):
    """What a function does, whatever file it stands in."""
    constants = [_code(x) if hasattr(x, "co_code") else repr(x) for x in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars
    return code.co_code, *names, constants


@functools.cache
def _code_of(text, cells, imported):
    """The code of a lambda with this text that closes over these names.

    Python calls functions of what a file imports in a way of their own.
    """
    imports = "".join(f"import {name}\n" for name in imported)
    made = compile(f"{imports}lambda {', '.join(cells)}: {text}", "<lambda>", "exec")
    outer = next(x for x in made.co_consts if hasattr(x, "co_code"))
    return _code(type(_code)(outer, globals())(*cells).__code__)


@torch.compiler.assume_constant_result
def _is_other(function, text, *cells):
    """Whether a function is not the lambda with this text; PyTorch traces it again if it changes."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    known = function.__globals__
    named = [name for name in known if name in text and name.isidentifier()]
    modules = [name for name in named if isinstance(known[name], type(torch))]
    ways = [_code_of(text, cells, (*each,)) for each in (modules, named, ())]
    return _code(code) not in ways


def _has_code(function, text, *cells):
    """Whether a function is the lambda with this text that closes over these names."""
    return not _is_other(function, text, *cells)
)py";

inline constexpr llvm::StringLiteral restoredText = R"py(def _restored(cls, entries, attributes):
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

inline constexpr llvm::StringLiteral dropoutScaleText = R"py(def _dropout_scale(p):
    """By what a dropout with probability `p` multiplies what it keeps."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return 1.0 / (1.0 - p) if p < 1 else 0.0
)py";

inline constexpr llvm::StringLiteral seedText = R"py(def _draw_seed(seed, device):
    """The seed on a device; PyTorch's generator of that device draws one that is not given."""
    if isinstance(seed, torch.Tensor):
        return seed
    if seed is None:
        return torch.randint(2**63 - 1, (), dtype=torch.int64, device=device)
    _check_number("seed", seed, int)
    return torch.full((), seed, dtype=torch.int64, device=device)
)py";

} // namespace nereid::emit
