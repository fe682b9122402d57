# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every small kernel of test/triton that we accept, printed again, must be accepted by upstream.

reprint.py [--only WORD]
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "triton"))

import acceptance
import upstream
from tool import find_tool


def run(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True)


def reprint(build, path):
    """The status, and the emitted file or the message."""
    status, _ = acceptance.ask_us(build / "nereid-triton", path)
    if status:
        return "rejected", ""
    signature = ",".join(f"{name}={kind}" for name, kind in acceptance.SIGNATURE.items())
    tile = path.with_suffix(".mlir")
    command = [build / "nereid-triton", path, "kernel", "--signature", signature]
    tile.write_text(run(*command, "--constexpr", "BLOCK=64", "--locations").stdout)
    done = run(build / "nereid-emit", tile)
    if done.returncode:
        return "refused", done.stderr
    output = path.with_name(path.stem + "_again.py")
    output.write_text(done.stdout)
    return "printed", output


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [name for name in acceptance.CASES if options.only in name]
    failures, printed = [], 0
    build = pathlib.Path(find_tool()).resolve().parent
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(2) as pool,
    ):
        paths = [acceptance.write_case(pathlib.Path(folder), name, acceptance.CASES[name]) for name in names]
        results = list(pool.map(lambda path: reprint(build, path), paths))
        for name, (status, result) in zip(names, results, strict=True):
            if status == "refused":
                failures.append(f"{name}: {result}")
            if status != "printed":
                continue
            printed += 1
            kernel = upstream.load(result).kernel
            accepted, reason = upstream.accepts(kernel, acceptance.SIGNATURE, {"BLOCK": 64})
            if not accepted:
                failures.append(f"{name}: upstream rejects: {reason}\n{result.read_text()}")
    print("\n".join(failures))
    print(f"{printed} kernels printed again, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
