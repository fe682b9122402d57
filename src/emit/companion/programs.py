# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The original and the emitted files beside it."""

# --- cut ---


def _takes(function, *positional, **named):
    """Whether a function takes these arguments."""
    try:
        inspect.signature(function).bind(*positional, **named)
    except TypeError:
        return False
    return True


def _init(source):
    """What the class is constructed with; `[[64], {"heads": 2}]` may be both kinds of arguments."""
    init, named = [source.get("get_init_inputs", list)()], {}
    if _INIT:
        init, named = eval(f"(lambda *init, **named: (init, named))({_INIT}\n)", source)
    if len(init) == 1 and isinstance(init[0], dict):
        return [], init[0]
    if len(init) == 1 and isinstance(init[0], (list, tuple)):
        init = init[0]
        if [*map(type, init)] in ([list, dict], [tuple, dict]):
            cls, (positional, by_name) = source[_NAME], init
            are_both = _takes(cls, *positional, **by_name)
            if are_both and (by_name or not _takes(cls, *init)):
                return positional, by_name
    return init, named


def _load(files, stage):
    """The emitted files that are judged: those given, or all of this conversion."""
    if files:
        return files
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    paths = sorted(here.glob(f"{_STEM}_stage{stage or '[123]'}.py"))
    return [importlib.import_module(path.stem) for path in paths]


def _find_original(options, parser):
    """The names of the original's file."""
    here, given = pathlib.Path(__file__).resolve(), pathlib.Path(options.reference)
    paths = [path for path in (given, here.parent / given.name) if path.exists()]
    if not paths or paths[0].resolve() == here:
        parser.error(
            f"{options.reference} is not here; name the original by --reference"
        )
    sys.path.insert(0, str(paths[0].resolve().parent))
    return runpy.run_path(str(paths[0].resolve()))


def _make_pair(source, device):
    """The original and the emitted program, with the same parameters."""
    original, emitted = source[_NAME], getattr(_FILE, _EXPORTED)
    if isinstance(original, type):
        init, named = _init(source)
        original, emitted = original(*init, **named), emitted(*init, **named)
        original = original if _MOVED is None else original.to(_MOVED)
        _copy_state(original, emitted)
        original, emitted = original.to(device), emitted.to(device)
    for record in _RECORDS:
        _register(getattr(_FILE, record))
    torch.manual_seed(0)
    return original, emitted


def _lend_library():
    """Gives upstream's interpreter the device library, whose functions do nothing there."""
    import numpy as np
    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.runtime.interpreter import TensorHandle

    def lend(name, function):
        def call(*arguments):
            tensors = [a for a in arguments if isinstance(a, tl.tensor)]
            own = tensors[0].handle.data.dtype
            # What comes next hangs on the type.
            kind = own if name == "nextafter" else np.float64
            arrays = [getattr(a, "handle", a) for a in arguments]
            # A number of Python's has the type of the tensors beside it.
            arrays = [np.array(getattr(a, "data", a), dtype=own) for a in arrays]
            arrays = [a.astype(kind) for a in arrays]
            found = function(*map(torch.from_numpy, arrays)).numpy().astype(own)
            whole = max(tensors, key=lambda x: x.handle.data.size)
            return tl.tensor(TensorHandle(found, tensors[0].dtype), whole.type)

        return call

    others = {
        "cbrt": lambda x: x.sign() * x.abs() ** (1 / 3),
        "rint": torch.round,
        "round": lambda x: torch.copysign((x.abs() + 0.5).floor(), x),
        "tgamma": lambda x: torch.exp(torch.lgamma(x)),
    }
    for name in dir(libdevice):
        function = others.get(name) or getattr(torch, name, None)
        if not name.startswith("_") and callable(function):
            setattr(libdevice, name, lend(name, function))
