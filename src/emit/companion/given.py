# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of emitted files: `--validate` and `--bench` beside the original.

What stands below the cut in the files beside this one is copied to the companion of the files of a
conversion, or to the end of a file that shall stand alone. CommandLine.cpp prints what it uses: _STEM, _SOURCE, _NAME,
_EXPORTED, _INIT, _MOVED, _GRADIENTS, _UNGRADED, _SEED, _RECORDS, _inputs, and `_FILE`, the file that is judged.
"""

import argparse
import contextlib
import copy
import functools
import importlib
import inspect
import itertools
import os
import pathlib
import runpy
import sys

import torch
import torch.utils._pytree as pytree
import triton
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

_STEM, _FILE = "program", None
_SOURCE, _NAME, _INIT, _GRADIENTS = "original.py", "program", None, False
_EXPORTED, _MOVED = "program", None
_SEED, _RECORDS, _UNGRADED = None, [], ()


def _inputs(make):
    return {}
