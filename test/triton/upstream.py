# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks upstream Triton whether it accepts a kernel: the front end alone, no GPU needed."""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import warnings

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

TARGET = GPUTarget("cuda", 90, 32)


def load(path):
    """The module of a Python file."""
    spec = importlib.util.spec_from_file_location("kernels_" + str(abs(hash(path))), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def quiet():
    """Swallows what the C++ side prints to the file descriptor."""
    with tempfile.TemporaryFile() as sink:
        saved = os.dup(2)
        sys.stderr.flush()
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def accepts(kernel, signature, constexprs):
    """(True, "") or (False, reason)."""
    kernel = getattr(kernel, "fn", kernel) if not hasattr(kernel, "arg_names") else kernel
    backend = make_backend(TARGET)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    types = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    source = ASTSource(kernel, types, constexprs=constexprs)
    try:
        with quiet(), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            module = source.make_ir(
                TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
            )
            if not module.verify():
                return False, "the module is invalid"
    except Exception as error:  # upstream raises many kinds
        lines = [line for line in str(error).strip().splitlines() if line.strip()]
        return False, lines[-1].strip() if lines else type(error).__name__
    return True, ""
