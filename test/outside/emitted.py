# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every emitted file of examples/: as formatters and linters want it, and valid by its own command line.

    emitted.py BINARY [--only WORD] [--validate WORD] [--share K/N] [--jobs N]

Converts each program at every stage, runs `ruff check` and `ruff format --check` over the files, and the own `--validate`
of those of a share, which compares with the program itself over sizes, values and strides, under upstream Triton's
mended interpreter. Prints one line a file; exits 1 on a failure.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import shares
import torch
import upstream  # noqa: F401  (mends Triton's interpreter; before triton)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUFF = Path(sys.executable).with_name("ruff")


def convert(binary, example, folder):
    command = [binary, "convert", example.relative_to(ROOT), "--stage", "all"]
    return subprocess.run([*command, "-o", folder / example.stem], cwd=ROOT, capture_output=True, text=True)


def validate(path):
    """Runs `python FILE --validate` in a process of its own that has PyTorch already."""
    output = io.StringIO()
    sys.argv = [str(path), "--validate"]
    sys.path.insert(0, str(path.parent))
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            runpy.run_path(str(path), run_name="__main__")
            status = 1
        except SystemExit as end:
            status = end.code
        except Exception as error:
            status = f"{type(error).__name__}: {error}"
            print(status)
    lines = output.getvalue().strip().splitlines() or [""]
    accepted = (": right", ": the original raises", ": refused")
    odd = [line for line in lines[:-1] if not any(text in line for text in accepted)]
    # People are told; of our examples none refuses sizes that its original takes.
    refusing = [line for line in lines if "which are refused" in line]
    if refusing and status == 0:
        status, odd = 1, refusing
    return status, lines[-1], odd


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--validate", default="", help="only files with this in their name")
    parser.add_argument("--share", default="0/1", help=shares.HELP + " (of what is validated)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = Path(options.binary).resolve()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    os.chdir(ROOT)
    failures = right = 0
    with (
        tempfile.TemporaryDirectory() as name,
        multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool,
    ):
        folder = Path(name)
        examples = [e for e in sorted((ROOT / "examples").glob("*.py")) if options.only in e.stem]
        for example in examples:
            done = convert(binary, example, folder)
            if done.returncode:
                failures += 1
                print(f"FAIL {example.stem}: {done.stderr.strip()[:300]}")
        for arguments in (["check"], ["format", "--diff"]):
            command = [RUFF, arguments[0], "--isolated", "--no-cache", *arguments[1:], folder]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failures += 1
                print(f"FAIL ruff {arguments[0]}:\n{(done.stdout + done.stderr)[:4000]}")
        files = [file for file in sorted(folder.glob("*/*.py")) if options.validate in file.name]
        files = shares.choose(files, options.share)
        for path, (status, last, odd) in zip(files, pool.imap(validate, files), strict=True):
            failures += status != 0
            right += status == 0
            print(f"{'FAIL' if status else 'ok  '} {path.name}: {last}", flush=True)
            for line in odd if status else ():
                print(f"    {line}")
    print(f"emitted: {right} right, {failures} wrong")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
