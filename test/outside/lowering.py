# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted files that take the ways of large sizes at small ones."""

import re


def lower(text, block=4):
    """The same file, whose wrappers choose looped kernels at small sizes and whose blocks are small."""
    text = re.sub(r"^( +(?:if|elif) [^\n]*?<= )(\d{3,})(?=:| |\))", r"\g<1>3", text, flags=re.MULTILINE)
    text = re.sub(r"\bmax\(\d{2,} // _next_power_of_2", f"max({4 * block} // _next_power_of_2", text)
    return re.sub(r'("BLOCK_\w+": )(\d+)', lambda found: found[1] + str(min(int(found[2]), block)), text)
