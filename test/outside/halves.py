# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose inputs are halves, with inputs in float32: halves hide errors of some percent, float32 does not."""

import re
from pathlib import Path

#: How inputs are made halves, and what they are in float32.
WIDER = (
    (re.compile(r"torch\.(?:float16|bfloat16|half)\b"), "torch.float32"),
    (re.compile(r"\.(?:half|bfloat16)\(\)"), ".float()"),
    (re.compile(r"\bb?f16\["), "f32["),
)


def widen(text):
    """The program with the inputs of `get_inputs()` and of its options in float32; what it computes stays as it is."""
    before, name, after = text.partition("def get_inputs(")
    options = re.search(r"^# options: .*$", before, re.MULTILINE)
    parts = [before[: options.start()], options[0], before[options.end() :]] if options else ["", "", before]
    for pattern, wide in WIDER:
        parts[1], after = pattern.sub(wide, parts[1]), pattern.sub(wide, after)
    return "".join([*parts, name, after])


def add_wide(paths, folder):
    """The paths, and those of copies in the folder of the programs that take halves."""
    wide = []
    for path in paths:
        text = path.read_text()
        if (twin := widen(text)) != text:
            wide.append(Path(folder) / f"{path.stem}_in_float32.py")
            wide[-1].write_text(twin)
    return [*paths, *wide]
