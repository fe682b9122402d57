# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges one emitted file by outside tools only: ruff, upstream's compiler, upstream's interpreter.

    check_file.py EMITTED.py ORIGINAL.py NAME --case SPEC [--case ...] [--init ARGS]
                  [--pattern P ...] [--strides] [--arch 90]

Exits 1 when one of them objects, and shows what it said.
"""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def get_commands(options):
    ruff = str(pathlib.Path(sys.executable).with_name("ruff"))
    common = [f"--case={case}" for case in options.cases]
    common += [f"--init={options.init}"]
    patterns = [f"--pattern={pattern}" for pattern in options.pattern or ["normal"]]
    strides = ["--strides"] if options.strides else []
    compiler = [
        sys.executable,
        str(HERE / "compile_cubin.py"),
        options.emitted,
        options.name,
    ]
    interpreter = [sys.executable, str(HERE / "run_interpreter.py"), options.emitted]
    interpreter += [options.original, options.name]
    return {
        "ruff check": [ruff, "check", "--isolated", "--quiet", options.emitted],
        "ruff format": [ruff, "format", "--isolated", "--diff", options.emitted],
        "compiler": compiler + common + [f"--arch={options.arch}"],
        "interpreter": interpreter + common + patterns + strides,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("emitted")
    parser.add_argument("original")
    parser.add_argument("name")
    parser.add_argument("--case", action="append", required=True, dest="cases")
    parser.add_argument("--init", default="")
    parser.add_argument("--pattern", action="append")
    parser.add_argument("--strides", action="store_true")
    parser.add_argument("--arch", type=int, default=90)
    options = parser.parse_args()
    running = {
        judge: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for judge, command in get_commands(options).items()
    }
    failures = 0
    for judge, process in running.items():
        output = process.communicate()[0]
        failures += process.returncode != 0
        verdict = "content" if process.returncode == 0 else "objects"
        print(f"{judge}: {verdict}\n{output.strip()}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
