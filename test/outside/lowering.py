# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted files that take the ways of large sizes at small ones."""

import re
from pathlib import Path


def lower(text, block=4):
    """The same file, whose wrappers choose looped kernels at small sizes and whose blocks are small."""
    text = re.sub(r"^( +(?:if|elif) [^\n]*?<= )(\d{3,})(?=:| |\))", r"\g<1>3", text, flags=re.MULTILINE)
    text = re.sub(r"\bmax\(\d{2,} // _next_power_of_2", f"max({4 * block} // _next_power_of_2", text)
    chooses = "    configs = [*configs]\n"
    lowered = f"""{chooses}    for config in configs:
        config.kwargs |= {{k: min(n, {block}) for k, n in config.kwargs.items() if "BLOCK_" in k}}
"""
    assert (chooses in text) == ("triton.Config(" in text), "configurations are made in another way"
    return text.replace(chooses, lowered)


def lower_file(file):
    """Lowers the bounds of a file of stage 3 at which its wrappers choose kernels; False where it has none for long rows."""
    if file["stage"] != 3 or not any("_long" in kernel["name"] for kernel in file["kernels"]):
        return False
    path = Path(file["path"])
    path.write_text(lower(path.read_text(), block=128))
    return True
