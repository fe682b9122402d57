# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn: modules as plain Python. Constructors run on known values; parameters and buffers are
found afterwards by walking the attributes."""

import collections
import inspect


class Module:
    # Whether a module trains is decided when it is called, unless train() or eval() settled it.
    @property
    def training(self):
        return prims.training(self)

    @training.setter
    def training(self, mode):
        self.__dict__["_training"] = mode
        prims.set_training(self, mode)

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        outer = prims.enter(self)
        try:
            if "_hooks" in self.__dict__:
                return self._call_with_hooks(arguments, options)
            return self.forward(*arguments, **options)
        finally:
            prims.leave(outer)

    def _call_with_hooks(self, arguments, options):
        for hook, takes_options in self._hooks["before"]:
            changed = hook(self, arguments, options) if takes_options else hook(self, arguments)
            if changed is not None and takes_options:
                arguments, options = changed
            elif changed is not None:
                arguments = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*arguments, **options)
        for hook, takes_options in self._hooks["after"]:
            changed = hook(self, arguments, options, result) if takes_options else hook(self, arguments, result)
            if changed is not None:
                result = changed
        return result

    # PyTorch's weight_norm is a hook too; here its weight is made where it is read.
    def _hook_table(self):
        return self.__dict__.setdefault("_hooks", {"before": [], "after": [], "of weight_norm": []})

    def _add_hook(self, when, hook, prepend, with_kwargs):
        entries = self._hook_table()[when]
        entry = (hook, with_kwargs)
        entries.insert(0 if prepend else len(entries), entry)
        return _RemovableHandle(entries, entry)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        return self._add_hook("before", hook, prepend, with_kwargs)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        return self._add_hook("after", hook, prepend, with_kwargs)

    # What nn.utils computes from other parameters is made anew each time that it is read.
    def __getattr__(self, name):
        computed = self.__dict__.get("_computed", {})
        if name in computed:
            return computed[name](self)
        raise AttributeError("'" + type(self).__name__ + "' object has no attribute '" + name + "'")

    def forward(self, *arguments, **options):
        raise NotImplementedError('Module [' + type(self).__name__ + '] is missing the required "forward" function')

    def register_buffer(self, name, tensor, persistent=True):
        names = self.__dict__.setdefault("_buffer_names", {})
        names[name] = persistent
        setattr(self, name, tensor)

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def register_module(self, name, module):
        setattr(self, name, module)

    def add_module(self, name, module):
        setattr(self, name, module)

    def named_children(self):
        return iter([(name, value) for name, value in self.__dict__.items() if isinstance(value, Module)])

    def children(self):
        return iter([module for name, module in self.named_children()])

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        found = [(prefix, self)]
        for name, module in self.named_children():
            found = found + list(module.named_modules(None, prefix + ("." if prefix else "") + name))
        return iter(found)

    def modules(self):
        return iter([module for name, module in self.named_modules()])

    def named_parameters(self, prefix="", recurse=True):
        return iter(_once([(entry[0], entry[1]) for entry in _tree(self) if entry[2]]))

    def parameters(self, recurse=True):
        return iter([parameter for name, parameter in self.named_parameters()])

    def named_buffers(self, prefix="", recurse=True):
        return iter(_once([(entry[0], entry[1]) for entry in _tree(self) if not entry[2]]))

    def buffers(self, recurse=True):
        return iter([buffer for name, buffer in self.named_buffers()])

    def get_submodule(self, target):
        module = self
        for name in target.split("."):
            module = getattr(module, name)
        return module

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def to(self, *arguments, **options):
        dtype = options.get("dtype")
        for argument in arguments:
            if isinstance(argument, torch.dtype):
                dtype = argument
        return self if dtype is None else self._cast(dtype)

    def _cast(self, dtype):
        moved = []
        for module in self.modules():
            buffers = module.__dict__.get("_buffer_names", {})
            for name, value in list(module.__dict__.items()):
                if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                    continue
                if isinstance(value, Parameter):
                    # One parameter at two places stays one.
                    same = [cast for before, cast in moved if before is value]
                    cast = same[0] if same else Parameter(value.to(dtype), value.requires_grad)
                    moved.append((value, cast))
                    module.__dict__[name] = cast
                elif name in buffers:
                    module.__dict__[name] = value.to(dtype)
        return self

    def half(self):
        return self._cast(torch.float16)

    def bfloat16(self):
        return self._cast(torch.bfloat16)

    def float(self):
        return self._cast(torch.float32)

    def double(self):
        return self._cast(torch.float64)

    def cuda(self, device=None):
        return self

    def cpu(self):
        return self

    def extra_repr(self):
        return ""

    def _hook(self, *arguments, **options):
        return prims.refuse("hooks of gradients are not supported", "compute with the gradients outside")

    register_full_backward_hook = register_full_backward_pre_hook = register_backward_hook = _hook

    def state_dict(self, *arguments, **options):
        return {entry[0]: entry[1].detach() for entry in _tree(self) if entry[3]}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own = self.state_dict()
        if strict and list(own) != list(state_dict):
            raise RuntimeError("Error(s) in loading state_dict for " + type(self).__name__)
        with torch.no_grad():
            for name, tensor in own.items():
                if name in state_dict:
                    tensor.copy_(state_dict[name])

    # What only saves and loads states computes nothing.
    def _register_load_state_dict_pre_hook(self, *arguments, **options):
        return None

    register_state_dict_pre_hook = register_load_state_dict_pre_hook = _register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = _register_state_dict_hook = _register_load_state_dict_pre_hook

    def zero_grad(self, set_to_none=True):
        return None

    def get_parameter(self, target):
        return self._at(target)

    def get_buffer(self, target):
        return self._at(target)

    def _at(self, target):
        path = target.split(".")
        return getattr(self.get_submodule(".".join(path[:-1])) if len(path) > 1 else self, path[-1])

    def set_extra_state(self, state):
        return None

    def _get_name(self):
        return type(self).__name__

    def type(self, dst_type):
        return self._cast(dst_type)

    def share_memory(self):
        return self

    def compile(self, *arguments, **options):
        return None


@export(at="prims")
class Initialized(Module):
    """A module that sets its parameters itself. They are arguments of a converted program: their first values do not matter."""

    def reset_parameters(self):
        pass


class _RemovableHandle:
    def __init__(self, entries, entry):
        self.entries = entries
        self.entry = entry

    def remove(self):
        if self.entry in self.entries:
            self.entries.remove(self.entry)


def _settle_modes(root):
    """Leaves the modes of parts that do not follow train() and eval() of the whole.

    A train() of a class's own may keep parts in one mode. Of the others the mode that a constructor leaves is where they
    start: training, as all do, or evaluation, which they are to be called in.
    """
    parts = list(root.modules())
    if any([type(part).train is not Module.train for part in parts]):
        root.train(False)
        resting = [part.__dict__.get("_training", True) for part in parts]
        root.train(True)
        training = [part.__dict__.get("_training", True) for part in parts]
        for part, first, second in zip(parts, training, resting):
            if second and not first:
                raise NotImplementedError("a train() that turns the mode of a part round")
            part.__dict__["_training"] = first and second
            if first != second:
                part.__dict__.pop("_training")
        return
    for part in parts:
        if part.__dict__.get("_training", False):
            part.__dict__.pop("_training")


def _once(entries):
    """Of entries (name, tensor) those whose tensor was not there before: shared ones count once."""
    found = []
    for name, tensor in entries:
        if not any(tensor is other for _, other in found):
            found.append((name, tensor))
    return found


def _tree(module, prefix=""):
    """(path, tensor, is parameter, is persistent) of parameters and buffers in the order of state_dict."""
    buffers = module.__dict__.get("_buffer_names", {})
    items = list(module.__dict__.items())
    found = [(prefix + name, value, True, True) for name, value in items if isinstance(value, Parameter)]
    for name, value in items:
        if name in buffers and isinstance(value, torch.Tensor):
            found.append((prefix + name, value, False, buffers[name]))
    for name, value in items:
        if isinstance(value, Module):
            found = found + _tree(value, prefix + name + ".")
    return found


def _attributes(module, prefix=""):
    """(path, tensor) of tensors that are neither parameters nor buffers."""
    buffers = module.__dict__.get("_buffer_names", {})
    found = []
    for name, value in module.__dict__.items():
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter) and name not in buffers:
            found.append((prefix + name, value))
        elif isinstance(value, Module):
            found = found + _attributes(value, prefix + name + ".")
    return found


def _arguments(cls, given):
    """(positional, by name) of what get_init_inputs() gives: `[[64], {"heads": 2}]` is both, where the constructor takes it so."""
    constructor = inspect.signature(cls.__init__)

    def takes(*positional, **named):
        try:
            constructor.bind(None, *positional, **named)
        except TypeError:
            return False
        return True

    positional, named = given
    is_both = all([isinstance(name, str) for name in named]) and takes(*positional, **named)
    return (positional, named) if is_both and (named or not takes(*given)) else (given, {})


def _parts(module, prefix=""):
    """(path, part) of all modules, parameters and buffers, of those that hang at several places each time."""
    buffers = module.__dict__.get("_buffer_names", {})
    found = []
    for name, value in module.__dict__.items():
        if isinstance(value, (Module, Parameter)) or name in buffers and isinstance(value, torch.Tensor):
            found.append((prefix + name, value))
        if isinstance(value, Module):
            found = found + _parts(value, prefix + name + ".")
    return found


_keywords = "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split()


def _steps(module, prefix=""):
    """(path, step) where a part of the tree is not `.name`: `[0]` of a list, `['in']` of a dict, `'in'` for getattr."""
    found = []
    order = [name for name, value in module.__dict__.items() if isinstance(value, Module)]
    for name, value in module.__dict__.items():
        if not isinstance(value, (Module, torch.Tensor)):
            continue
        if isinstance(module, _Numbered) and name.isdigit() and (name not in order or order.index(name) == int(name)):
            found.append((prefix + name, "[" + name + "]"))
        elif not name.isidentifier() or name in _keywords:
            found.append((prefix + name, "[" + repr(name) + "]" if isinstance(module, _Named) else repr(name)))
        if isinstance(value, Module):
            found = found + _steps(value, prefix + name + ".")
    return found


# --- Containers -----------------------------------------------------------------------------------


class _Numbered(Module):
    # Other attributes of a container are none of what it contains.
    def _names_in_order(self):
        kind = Parameter if isinstance(self, ParameterList) else Module
        return [name for name, value in self.__dict__.items() if isinstance(value, kind)]

    def _modules_in_order(self):
        return [self.__dict__[name] for name in self._names_in_order()]

    def _number(self, values):
        for name in self._names_in_order():
            delattr(self, name)
        for place, value in enumerate(values):
            setattr(self, str(place), value)

    def __len__(self):
        return len(self._modules_in_order())

    def __iter__(self):
        return iter(self._modules_in_order())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(self._modules_in_order()[index])
        return self._modules_in_order()[index]

    def __setitem__(self, index, module):
        setattr(self, self._names_in_order()[index], module)

    def __delitem__(self, index):
        values = self._modules_in_order()
        del values[index]
        self._number(values)

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def insert(self, index, module):
        values = self._modules_in_order()
        values.insert(index, module)
        self._number(values)
        return self

    def pop(self, index):
        value = self[index]
        del self[index]
        return value

    def extend(self, modules):
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules):
        return self.extend(modules)


class Sequential(_Numbered):
    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                setattr(self, name, module)
            return
        for module in modules:
            self.append(module)

    def __getitem__(self, index):
        if not isinstance(index, slice):
            return self._modules_in_order()[index]
        return Sequential({name: self.__dict__[name] for name in self._names_in_order()[index]})

    def __add__(self, other):
        return Sequential(*self, *other)

    def __mul__(self, times):
        return Sequential(*(list(self) * times))

    def forward(self, input):
        for module in self._modules_in_order():
            input = module(input)
        return input


class ModuleList(_Numbered):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other):
        return ModuleList(list(self) + list(other))


def _as_parameter(value):
    # These containers make parameters of plain tensors.
    return Parameter(value) if isinstance(value, torch.Tensor) and not isinstance(value, Parameter) else value


class ParameterList(_Numbered):
    def __init__(self, values=None):
        super().__init__()
        if values is not None:
            self.extend(values)

    def append(self, value):
        return super().append(_as_parameter(value))

    def __setitem__(self, index, value):
        super().__setitem__(index, _as_parameter(value))


class _Named(Module):
    def __init__(self, entries=None):
        super().__init__()
        if entries is not None:
            self.update(entries)

    def _names(self):
        return [name for name, value in self.__dict__.items() if isinstance(value, Module)]

    def __getitem__(self, name):
        return self.__dict__[name]

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __delitem__(self, name):
        delattr(self, name)

    def __contains__(self, name):
        return name in self._names()

    def __len__(self):
        return len(self._names())

    def __iter__(self):
        return iter(self._names())

    def keys(self):
        return {name: None for name in self._names()}.keys()

    def values(self):
        return [self[name] for name in self._names()]

    def items(self):
        return [(name, self[name]) for name in self._names()]

    def update(self, entries):
        pairs = entries.items() if isinstance(entries, (dict, _Named)) else entries
        for name, value in list(pairs):
            self[name] = value

    def pop(self, name):
        value = self[name]
        del self[name]
        return value

    def clear(self):
        for name in self._names():
            del self[name]


class ModuleDict(_Named):
    pass


class ParameterDict(_Named):
    def __init__(self, parameters=None):
        self._kept_names = {}
        super().__init__(parameters)

    def _names(self):
        return list(self._kept_names)

    def __setitem__(self, name, value):
        if not isinstance(name, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string")
        self._kept_names[name] = None
        setattr(self, name, _as_parameter(value))

    def __delitem__(self, name):
        del self._kept_names[name]
        delattr(self, name)

    def get(self, name, default=None):
        return self[name] if name in self else default

    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, entries):
        # Of a plain dict, but not of an ordered one, PyTorch sorts the keys.
        if isinstance(entries, dict) and not isinstance(entries, collections.OrderedDict):
            entries = [(name, entries[name]) for name in sorted(entries)]
        super().update(entries)

    def copy(self):
        return ParameterDict(self.items())


class Identity(Module):
    def forward(self, input):
        return input


class Buffer:
    def __new__(cls, data, persistent=True):
        return data
