# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of `triton.language.extra.cuda`: single instructions of NVIDIA's devices (PTX ISA, "griddepcontrol" and
"Special Registers")."""

import triton
import triton.language as tl


@triton.jit
def gdc_wait():
    """Waits for the grids that this one depends on."""
    tl.inline_asm_elementwise("griddepcontrol.wait; mov.u32 $0, 0;", "=r", [], tl.int32, False, 1)


@triton.jit
def gdc_launch_dependents():
    """Lets the grids that depend on this one begin."""
    tl.inline_asm_elementwise("griddepcontrol.launch_dependents; mov.u32 $0, 0;", "=r", [], tl.int32, False, 1)


@triton.jit
def globaltimer():
    """Nanoseconds."""
    return tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], tl.int64, False, 1)


@triton.jit
def smid():
    """The number of the multiprocessor."""
    return tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], tl.int32, True, 1)
