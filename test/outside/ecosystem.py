# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of bench/gpu_ecosystem.py that need no GPU, on CPU tensors under upstream Triton's interpreter.

    ecosystem.py BINARY [--only TEXT] [--stage N]

Converts bench/gpu/ecosystem.py and makes the checks at stage 3, with AOTAutograd as the compiler. Exits 1 when one
fails.
"""

import argparse
import functools
import sys
import tempfile
import warnings
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import gpu_ecosystem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--stage", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        gpu_ecosystem.convert(folder, options.binary, str(options.stage))
        on = gpu_ecosystem.Setting(folder, options.stage, "cpu", "aot_eager")
        return gpu_ecosystem.run(on, options.only, functools.partial(print, flush=True))


if __name__ == "__main__":
    sys.exit(main())
