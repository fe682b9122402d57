# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many kernels of public packages `nereid check` compiles, and why it rejects the others.

    python bench/corpora.py FOLDER                      download all packages into FOLDER, check them, print the table
    python bench/corpora.py FOLDER fla-core torch       these alone
    python bench/corpora.py FOLDER --more               those that were read to the end once, in place of these
    python bench/corpora.py FOLDER --reasons 20         ... and the most frequent reasons
    python bench/corpora.py FOLDER --rejected           ... and every rejection with its place
    python bench/corpora.py FOLDER --again              ... and the seconds of a second run, which takes what the first kept

Needs build/release/nereid, and pip's access to a package index for what FOLDER does not hold yet. `triton` and `torch` are
those that the running Python imports. Nothing of a package is executed: its wheel is unpacked. Exits 1 when a package
has fewer kernels that compile than FLOORS says.
"""

import argparse
import collections
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEREID = ROOT / "build" / "release" / "nereid"

# Packages and versions.
PACKAGES = {
    "liger-kernel": "0.8.5",
    "fla-core": "0.6.0",
    "flag-gems": "5.0.2",
    "conch-triton-kernels": "1.3",
    "bitsandbytes": "0.50.2",
    "unsloth": "2026.10.9",
}
# What was rejected of these was read and mended in kind: they are no measure of what is unseen.
READ = {
    "sglang": "0.5.23",
    "flashinfer-python": "0.7.4",
    "lmdeploy": "0.18.0",
    "torchao": "0.18.0",
    "lightllm": "0.0.1",
    "sageattention": "1.0.6",
    "unsloth-zoo": "2026.10.9",
    "axolotl": "0.19.0",
    "helion": "1.5.1",
}
INSTALLED = ["triton", "torch"]
# Percent of the kernels that compile.
FLOORS = {
    "liger-kernel": 97,
    "fla-core": 99,
    "flag-gems": 96,
    "conch-triton-kernels": 100,
    "bitsandbytes": 100,
    "unsloth": 100,
    "sglang": 99,
    "flashinfer-python": 99,
    "lmdeploy": 100,
    "torchao": 97,
    "lightllm": 93,
    "sageattention": 100,
    "unsloth-zoo": 99,
    "axolotl": 100,
    "helion": 100,
}


def download(name, folder, version=None):
    known = (PACKAGES | READ).get(name)
    version = version or known
    target = folder / (name if version == known else f"{name}-{version}")
    if target.exists():
        return target
    wheels = folder / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", wheels, f"{name}=={version}"], check=True)
    pattern = re.sub("[-_.]+", "_", name)
    wheel = next(wheels.glob(f"{pattern}-{version}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target, [member for member in archive.namelist() if member.endswith(".py")])
    return target


def find(name, folder):
    if name in PACKAGES | READ:
        return download(name, folder)
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise SystemExit(f"{name} is not installed for {sys.executable}")
    return Path(spec.origin).parent


def check(path, cache=None):
    where = ["--cache", cache] if cache else ["--no-cache"]
    run = subprocess.run([NEREID, "check", path, "--json", *where], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"nereid check {path} ended with {run.returncode}: {run.stderr[-2000:]}")
    return json.loads(run.stdout)


def check_again(path, result):
    """The seconds of a run for which another has kept its results, which are to be the same."""
    with tempfile.TemporaryDirectory() as cache:
        check(path, cache)
        again = check(path, cache)
    if again["kept"] != len(result["kernels"]) or again["kernels"] != result["kernels"]:
        raise SystemExit(f"nereid check {path} finds something else in what it kept")
    return again["seconds"]


def generalise(reason):
    """A reason without its names and numbers."""
    return re.sub(r"\d+", "N", re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", "`_`", reason))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--reasons", type=int, default=0, metavar="N")
    parser.add_argument("--rejected", action="store_true")
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    unknown = [name for name in options.packages if name not in PACKAGES | READ and name not in INSTALLED]
    if unknown:
        parser.error(f"unknown packages: {', '.join(unknown)}")
    reasons = collections.Counter()
    below = 0
    again = " seconds again |" if options.again else ""
    print(f"| package | kernels | compiled | rejected | % | seconds | kernels a second |{again}")
    print("|---|---|---|---|---|---|---|" + ("---|" if options.again else ""))
    for name in options.packages or (READ if options.more else [*PACKAGES, *INSTALLED]):
        path = find(name, options.folder)
        result = check(path)
        kernels = result["kernels"]
        rejected = [kernel for kernel in kernels if kernel["status"] == "rejected"]
        compiled = len(kernels) - len(rejected)
        percent = 100 * compiled / max(1, len(kernels))
        below += percent < FLOORS.get(name, 0)
        version = (PACKAGES | READ).get(name, "")
        print(
            f"| {name} {version} | {len(kernels)} | {compiled} | {len(rejected)} | {percent:.1f} "
            f"| {result['seconds']:.1f} | {len(kernels) / max(0.001, result['seconds']):.0f} |"
            + (f" {check_again(path, result):.2f} |" if options.again else ""),
            flush=True,
        )
        reasons.update((generalise(kernel["reason"]), name) for kernel in rejected)
        if options.rejected:
            for kernel in rejected:
                place = f"{kernel.get('reason_path', kernel['path'])}:{kernel.get('reason_line', kernel['line'])}"
                print(f"  {kernel['path']}:{kernel['line']} {kernel['name']}: {kernel['reason']} ({place})")
    if options.reasons:
        print()
        for (reason, name), count in reasons.most_common(options.reasons):
            print(f"{count:5} {name}: {reason}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
