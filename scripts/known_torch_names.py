#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes src/frontend/torch/KnownNames.inc: the public names of the installed PyTorch."""

import pathlib
import textwrap

import torch

SPACES = {
    "torch": torch,
    "F": torch.nn.functional,
    "Tensor": torch.Tensor,
    "nn": torch.nn,
    "init": torch.nn.init,
    "special": torch.special,
    "masked": torch.masked,
    "fft": torch.fft,
}


def main():
    lines = [
        "// Written by scripts/known_torch_names.py from the names of PyTorch %s.\n" % torch.__version__.split("+")[0]
    ]
    for space, owner in SPACES.items():
        names = sorted(name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name, None)))
        text = " ".join(names)
        parts = textwrap.wrap(text, 90, break_long_words=False, break_on_hyphens=False)
        body = "\n".join('     "%s "' % part for part in parts)
        lines.append('    {"%s",\n%s},\n' % (space, body))
    target = pathlib.Path(__file__).parent.parent / "src/frontend/torch/KnownNames.inc"
    target.write_text("".join(lines))


if __name__ == "__main__":
    main()
