# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn: modules as plain Python. Constructors run on known values; parameters and buffers are
found afterwards by walking the attributes."""


class Module:
    # Whether a module trains is decided when it is called, unless train() or eval() settled it.
    @property
    def training(self):
        return prims.training(self)

    @training.setter
    def training(self, mode):
        self.__dict__["_training"] = mode

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        if "_hooks" in self.__dict__:
            return self._call_with_hooks(arguments, options)
        return self.forward(*arguments, **options)

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

    def _add_hook(self, when, hook, prepend, with_kwargs):
        entries = self.__dict__.setdefault("_hooks", {"before": [], "after": []})[when]
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
        return [(name, value) for name, value in self.__dict__.items() if isinstance(value, Module)]

    def children(self):
        return [module for name, module in self.named_children()]

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        found = [(prefix, self)]
        for name, module in self.named_children():
            found = found + module.named_modules(None, prefix + ("." if prefix else "") + name)
        return found

    def modules(self):
        return [module for name, module in self.named_modules()]

    def named_parameters(self, prefix="", recurse=True):
        return _once([(entry[0], entry[1]) for entry in _tree(self) if entry[2]])

    def parameters(self, recurse=True):
        return [parameter for name, parameter in self.named_parameters()]

    def named_buffers(self, prefix="", recurse=True):
        return _once([(entry[0], entry[1]) for entry in _tree(self) if not entry[2]])

    def buffers(self, recurse=True):
        return [buffer for name, buffer in self.named_buffers()]

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
        for module in self.modules():
            for name, value in list(module.__dict__.items()):
                if isinstance(value, torch.Tensor) and value.is_floating_point():
                    cast = value.to(dtype)
                    setattr(module, name, Parameter(cast) if isinstance(value, Parameter) else cast)
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


class _RemovableHandle:
    def __init__(self, entries, entry):
        self.entries = entries
        self.entry = entry

    def remove(self):
        if self.entry in self.entries:
            self.entries.remove(self.entry)


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


# --- Containers -----------------------------------------------------------------------------------


class _Numbered(Module):
    def _modules_in_order(self):
        return [value for value in self.__dict__.values() if isinstance(value, (Module, Parameter))]

    def __len__(self):
        return len(self._modules_in_order())

    def __iter__(self):
        return iter(self._modules_in_order())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(self._modules_in_order()[index])
        return self._modules_in_order()[index]

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self


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
        if isinstance(index, slice):
            return Sequential(*self._modules_in_order()[index])
        return self._modules_in_order()[index]

    def forward(self, input):
        for module in self._modules_in_order():
            input = module(input)
        return input


class ModuleList(_Numbered):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)


class ParameterList(_Numbered):
    def __init__(self, values=None):
        super().__init__()
        if values is not None:
            self.extend(values)


class _Named(Module):
    def __init__(self, entries=None):
        super().__init__()
        if entries is not None:
            for name, value in entries.items():
                setattr(self, name, value)

    def __getitem__(self, name):
        return self.__dict__[name]

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __contains__(self, name):
        return name in self.__dict__

    def _entries(self):
        return {name: value for name, value in self.__dict__.items() if isinstance(value, (Module, Parameter))}

    def __len__(self):
        return len(self._entries())

    def __iter__(self):
        return iter(self._entries())

    def keys(self):
        return self._entries().keys()

    def values(self):
        return self._entries().values()

    def items(self):
        return self._entries().items()


class ModuleDict(_Named):
    pass


class ParameterDict(_Named):
    pass


class Identity(Module):
    def forward(self, input):
        return input


class Buffer:
    def __new__(cls, data, persistent=True):
        return data
