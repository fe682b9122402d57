#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Printing a kernel and reading it again gives the same kernel, as dataflow.py compares them.

The first print leaves out what nobody uses and the second spells what upstream casts by itself, so the readings of the
second and the third are compared.

The kernels are those of the documents, of language.py, and every accepted case of acceptance_cases.py. With --examples
they are those of the files that `nereid compile` emits for the examples. With --show the texts that differ are printed.
"""

import argparse
import concurrent.futures
import difflib
import itertools
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "outside"))

import dataflow
import emitted_kernels
from acceptance import SIGNATURE, write_case
from acceptance_cases import CASES
from documents import CORRECT, FOLDER

import gradients
import shares
from tool import find_tool

HERE = pathlib.Path(__file__).resolve().parent
LANGUAGE = {
    "control": "out=*i32,n=i32", "returns": "out=*i32,n=i32", "division": "a=*i32,b=*i32,q=*i32,r=*i32",
    "reductions": "x=*fp32,out=*fp32,index=*i32", "scans": "x=*fp32,out=*fp32", "merges": "x=*i64,out=*i64", "shapes": "x=*fp32,out=*fp32",
    "random": "out=*fp32,bits=*u32,seed=i32", "tuned": "x_ptr=*fp32,bias_ptr=*fp32,out_ptr=*fp32,n=i32",
    "dtypes": "x=*i8,wide=*i64,unsigned=*u8,half=*fp16,bits=*i32,flags=*i1", "atomics": "total=*fp32,top=*fp32,counts=*i32",
}  # fmt: skip


def kernels(folder):
    """(name, file, kernel, signature, constexprs)"""
    for kernel, (signature, meta) in CORRECT.items():
        yield kernel, FOLDER / "correct.py", kernel, signature, meta.split()
    for kernel, signature in LANGUAGE.items():
        yield kernel, HERE / "language.py", kernel, signature, []
    signature = ",".join(f"{name}={kind}" for name, kind in SIGNATURE.items())
    for name, body in CASES.items():
        yield name, write_case(folder, name, body), "kernel", signature, ["BLOCK=64"]


def kernels_of_examples(folder, stages, ways, share):
    """Those of a share of the examples, at these stages, with and without gradients."""
    examples = shares.choose(sorted(HERE.parents[1].glob("examples/*.py")), share)
    for example, stage, way in itertools.product(examples, stages, ways):
        if not way or example.stem not in gradients.REFUSED:
            path = folder / f"{example.stem}_{stage}{'_backward' * bool(way)}.py"
            found, problem = emitted_kernels.compile_program(find_tool("nereid"), example, stage, path, way)
            if problem:
                raise SystemExit(f"{example.name}: {problem}")
            for kernel in found:
                signature = ",".join(f"{name}={kind}" for name, kind in kernel.signature.items())
                meta = [f"{name}={value}" for name, value in kernel.constants.items()]
                yield f"{path.stem}.{kernel.name}", path, kernel.name, signature, meta


def read(path, kernel, signature, meta):
    command = [find_tool(), str(path), kernel, "--signature", signature]
    for pair in meta:
        command += ["--constexpr", pair]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def emit(ir):
    done = subprocess.run([find_tool("nereid-emit"), "-"], input=ir, capture_output=True, text=True)
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def check(item, folder, may_be_rejected):
    """None: rejected or same; else (kind, text)."""
    name, path, kernel, signature, meta = item
    status, ir = read(path, kernel, signature, meta)
    if status != 0:
        return None if may_be_rejected else ("read", ir)
    prints, readings = [], []
    for turn in range(3):
        status, text = emit(ir)
        if status != 0:
            return f"emit {turn}", text
        prints.append(text)
        printed = folder / f"{name}.printed{turn}.py"
        printed.write_text(text)
        status, ir = read(printed, kernel, signature, meta)
        if status != 0:
            return f"read {turn}", ir + text
        readings.append(dataflow.read(ir, kernel))
    if readings[1] != readings[2]:
        lines = [text.splitlines(True) for text in prints[1:]]
        return "differ", "".join(difflib.unified_diff(*lines, "second", "third", n=1))
    return "same", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--stage", action="append", type=int)
    parser.add_argument("--backward", action="store_true", help="the examples with their gradients too")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        if options.examples:
            ways = [[], ["--backward"]] if options.backward else [[]]
            items = list(kernels_of_examples(folder, options.stage or [1, 2], ways, options.share))
        else:
            items = list(kernels(folder))
        results = list(pool.map(lambda item: check(item, folder, not options.examples), items))
    same = sum(result is not None and result[0] == "same" for result in results)
    failed = [(item[0], *result) for item, result in zip(items, results) if result and result[0] != "same"]
    for name, kind, text in failed:
        print(f"FAIL {name}: {kind}")
        if options.show:
            print(text)
    print(f"kernels that were read again: {same} right, {len(failed)} wrong")
    return 1 if failed or not same else 0


if __name__ == "__main__":
    sys.exit(main())
