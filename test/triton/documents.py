#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each Triton snippet of the project's documents with its outcome: what is correct compiles (documents/correct.py),
each wrong spelling is refused at its place, with the right one.
"""

import pathlib
import subprocess
import sys
import tempfile
import textwrap

from tool import find_tool

FOLDER = pathlib.Path(__file__).resolve().parent / "documents"

# Kernels of documents/correct.py: arguments, meta-parameters.
CORRECT = {
    "KERNEL_NAME": ("x_ptr=*fp32,N=i64", "BLOCK_SIZE=128"),
    "fp16_relu": ("x_ptr=*fp16,y_ptr=*fp16,N=i32", "BLOCK_SIZE=128"),
    "asin_kernel": ("x_ptr=*fp32,y_ptr=*fp32,n_elements=i32", "BLOCK_SIZE=128"),
    "kernel_1d": ("x_ptr=*fp32,N=i32", "BLOCK_SIZE=128"),
    "kernel_2d": ("A_ptr=*fp32,M=i32,N=i32", "BLOCK_M=16 BLOCK_N=32"),
    "gemm": (
        "a_ptr=*fp32,b_ptr=*fp32,c_ptr=*fp32,M=i32,N=i32,K=i32,stride_am=i32,stride_ak=i32,stride_bk=i32,stride_bn=i32,"
        "stride_cm=i32,stride_cn=i32",
        "",
    ),
    "add_kernel": ("x_ptr=*fp32,y_ptr=*fp32,output_ptr=*fp32,n_elements=i32", "BLOCK_SIZE=1024"),
    "naive_kernel": ("input_ptr=*fp32,output_ptr=*fp32", "N=1000 BLOCK_SIZE=64"),
    "locked_partial": ("X=*fp32,buf=*fp32,Lock=*i32,Count=*i32,M=i32,N=i32", "BM=16 BN=32"),
    "finalize": ("DW=*fp32,FINAL=*fp32,M=i32,N=i32", "BM=16 BN=32"),
    "persistent": ("x_ptr=*fp32,y_ptr=*fp32,M=i32,N=i32", "BLOCK_M=16 BLOCK_N=16 NUM_SMS=4"),
    "logsumexp_kernel": ("ptr=*fp32,out_ptr=*fp32,C=i32", "C_PAD=32"),
    "ring_kernel": ("x_ptr=*fp32,ring_ptr=*fp32,out_ptr=*fp32,T=i32,K=i32,C=i32", "C_PAD=32"),
    "block_pointer_copy": ("x_ptr=*fp32,y_ptr=*fp32,M=i32,N=i32,stride_m=i32,stride_n=i32", "BLOCK_M=16 BLOCK_N=16"),
    "debug_kernel": ("x_ptr=*fp32,N=i32", "BLOCK_SIZE=64 DEBUG=True"),
}

HEADER = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"
PARAMETERS = (
    "x_ptr, y_ptr, M, N, stride_m, stride_n, output_dtype: tl.constexpr, WARP_MODE: tl.constexpr, BLOCK: tl.constexpr"
)
SIGNATURE = "x_ptr=*fp32,y_ptr=*fp32,M=i32,N=i32,stride_m=i32,stride_n=i32"
BEFORE = "offs = tl.arange(0, BLOCK)\nmask = offs < N\nx = tl.load(x_ptr + offs, mask=mask)\n"

# What the documents get wrong: body, the text under the caret, the message, the help.
WRONG = [
    ("rule 3: asynchronous copies", "a = tl.async_copy(x_ptr + offs)", "tl.async_copy", "tl.async_copy does not exist", "write tl.load"),
    ("rule 3: on Hopper", "a = tl.tma_async_copy(x_ptr + offs)", "tl.tma_async_copy", "tl.tma_async_copy does not exist", "write tl.load"),
    ("rule 7: warp specialization", "if tl.warp_specialize(WARP_MODE):\n    pass", "tl.warp_specialize",
     "tl.warp_specialize does not exist", "tl.range(..., warp_specialize=True)"),
    ("recipe 3: a masked reduction", "s = tl.sum(x, axis=0, mask=mask)", "tl.sum(x, axis=0, mask=mask)",
     "tl.sum has no argument `mask`", "tl.sum(tl.where(mask, x, 0.0), axis=...)"),
    ("recipe 4: arguments of a block pointer",
     "p = tl.make_block_ptr(base_ptr=x_ptr, shape=(BLOCK, BLOCK), strides=(stride_m, stride_n), offsets=(0, 0))",
     "tl.make_block_ptr(base_ptr=x_ptr", "tl.make_block_ptr has no argument `base_ptr`", "write base="),
    ("recipe 4: a mask beside a block pointer",
     "p = tl.make_block_ptr(x_ptr, (M, N), (stride_m, stride_n), (0, 0), (16, 16), (1, 0))\nA = tl.load(p, mask=mask)",
     "tl.load(p, mask=mask)", "a block pointer takes no mask", "boundary_check="),
    ("recipe 7: relu", "C = tl.relu(x)", "tl.relu", "tl.relu does not exist", "write tl.maximum(x, 0.0)"),
    ("recipe 8: divmod", "pid_m, pid_n = divmod(M, N)", "divmod", "`divmod` cannot be used in a kernel", "q = a // b"),
    ("recipe 10: a descriptor's order", "p = tl.make_tensor_descriptor(base_ptr=x_ptr, shape=(M, N), strides=(N, 1), order=(1, 0))",
     "tl.make_tensor_descriptor(base_ptr", "tl.make_tensor_descriptor has no argument `base_ptr`", "write base="),
    ("recipe 12: printing", 'tl.debug_print(x, x, "msg")', "tl.debug_print", "tl.debug_print does not exist", "tl.device_print("),
    ("recipe 9: an accumulator of the wrong shape",
     "acc = tl.zeros([BLOCK], tl.float32)\nfor i in range(0, M, 16):\n    rows = i + tl.arange(0, 16)\n"
     "    acc += tl.load(x_ptr + rows[:, None] * N + offs[None, :])",
     "acc +=", "`acc` is tensor<64xfp32> before the loop but tensor<16x64xfp32> after one turn", "keep its type"),
    ("skill: a ring buffer as a list", "ring_buffer = tl.zeros((BLOCK,), tl.float32)\nring_buffer[0] = 1.0", "ring_buffer[0] = 1.0",
     "cannot assign to an item", "tl.store(ptr + offset, value)"),
    ("skill: break in a loop", "for i in range(0, N):\n    if i > 4:\n        break", "break", "`break` is not part of the Triton language",
     "a `while` with a flag"),
    ("skill: an arange that is no power of two", "p = tl.arange(0, 100)", "tl.arange(0, 100)", "must be a power of two, found 100", "mask"),
    ("skill: a branch on a tile", "if x > 0.0:\n    pass", "if x > 0.0:", "a branch needs one bit", "tl.where(mask, a, b)"),
    ("anti-pattern: next_power_of_2 in a kernel", "c_idx = tl.arange(0, next_power_of_2(N))", "next_power_of_2", "`next_power_of_2` is not defined", ""),
]  # fmt: skip

# Whole files.
FILES = [
    ("a missing tl.constexpr",
     HEADER + "@triton.jit\ndef kernel(ptr, n, BLOCK_SIZE):\n    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)\n"
     "    tl.store(ptr + offs, offs, mask=offs < n)\n",
     "ptr=*i32,n=i32,BLOCK_SIZE=i32", "tl.arange(0, BLOCK_SIZE)", "the end of tl.arange must be a constexpr integer", "NAME: tl.constexpr"),
    ("no `import triton`", "import triton.language as tl\n\n\n@triton.jit\ndef kernel(ptr):\n    pass\n", "ptr=*i32", "triton",
     "name 'triton' is not defined", ""),
    ("libdevice without its import",
     "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(ptr):\n    o = tl.arange(0, 16)\n"
     "    tl.store(ptr + o, libdevice.asin(tl.load(ptr + o)))\n",
     "ptr=*fp32", "libdevice", "`libdevice` is not defined", "from triton.language.extra import libdevice"),
    ("an annotated pointer",
     HEADER + "@triton.jit\ndef kernel(ptr: tl.pointer(tl.float32)):\n    pass\n", "", "tl.pointer", "tl.pointer does not exist", "pointers are found by themselves"),
]  # fmt: skip


def run(tool, path, kernel, signature, meta):
    command = [tool, str(path), kernel]
    if signature:
        command += ["--signature", signature]
    for pair in meta.split():
        command += ["--constexpr", pair]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def check_refusal(status, output, caret, message, help):
    """None, or what is wrong about a refusal."""
    if status != 2:
        return f"status {status}, expected 2"
    lines = output.splitlines()
    if not any("error:" in line and message in line for line in lines):
        return f"no message `{message}`"
    if help and not any("help:" in line and help in line for line in lines):
        return f"no help `{help}`"
    if "internal:" in output:
        return "a defect of ours"
    for above, marks in zip(lines, lines[1:]):
        if "^" in marks and marks.lstrip().startswith("|"):
            if above[marks.index("^") :].startswith(caret[: max(1, marks.count("^") + marks.count("~"))]):
                return None
    return f"no caret under `{caret}`"


def main():
    tool = find_tool()
    failures = []
    for kernel, (signature, meta) in CORRECT.items():
        status, output, errors = run(tool, FOLDER / "correct.py", kernel, signature, meta)
        if status != 0 or f"func.func @{kernel}" not in output:
            failures.append((kernel, f"expected to compile\n{errors}"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "snippet.py"
        for name, body, caret, message, help in WRONG:
            path.write_text(
                f"{HEADER}@triton.jit\ndef kernel({PARAMETERS}):\n{textwrap.indent(BEFORE + body, '    ')}\n"
            )
            status, _, errors = run(tool, path, "kernel", SIGNATURE, "output_dtype=tl.float16 WARP_MODE=True BLOCK=64")
            wrong = check_refusal(status, errors, caret, message, help)
            if wrong:
                failures.append((name, f"{wrong}\n{errors}"))
        for name, text, signature, caret, message, help in FILES:
            path.write_text(text)
            status, _, errors = run(tool, path, "kernel", signature, "")
            wrong = check_refusal(status, errors, caret, message, help)
            if wrong:
                failures.append((name, f"{wrong}\n{errors}"))
    for name, reason in failures:
        print(f"FAIL {name}: {textwrap.indent(reason, '    ').strip()}")
    total = len(CORRECT) + len(WRONG) + len(FILES)
    print(f"snippets: {total - len(failures)} right, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
