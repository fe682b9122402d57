# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many kernels of public packages that Triton 3.9 breaks `nereid upgrade` brings to it.

    python bench/upgrades.py FOLDER                     download the packages into FOLDER, upgrade them, print the table
    python bench/upgrades.py FOLDER fla-core            these alone
    python bench/upgrades.py FOLDER --left              ... and every kernel that is left, with the place and the reason

Needs build/release/nereid, and pip's access to a package index for what FOLDER does not hold yet. Nothing of a package is
executed, and nothing in FOLDER changes. Kernels that no version compiles (functions of forks, what 3.4 removed) are
counted apart. Exits 1 when a package has a smaller share than FLOORS says. test/outside/upgraded.py compiles what is
written with the Triton that is installed.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import corpora

# Package, version, and the least percent of the kernels that only 3.9 breaks. The first is from before its authors wrote
# its block pointers anew.
PACKAGES = [("fla-core", "0.4.0", 98), ("fla-core", "0.6.0", 98), ("flag-gems", "5.0.2", 91)]
# Reasons that say that no version of upstream's compiles it: functions and modules of forks, what 3.4 removed. What we do
# not compile for other reasons counts as left.
BROKEN = ("does not exist", "cannot import name", "is gone since 3.4")


def upgrade(path):
    run = subprocess.run([corpora.NEREID, "upgrade", path, "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"nereid upgrade {path} ended with {run.returncode}: {run.stderr[-2000:]}")
    return json.loads(run.stdout)


def is_broken(kernel):
    return any(word in reason["reason"] for reason in kernel["reasons"] for word in BROKEN)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--left", action="store_true")
    options = parser.parse_args()
    below = 0
    print("| package | kernels | asked | broken before | upgraded | left | % | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name, version, floor in PACKAGES:
        if options.packages and name not in options.packages:
            continue
        result = upgrade(corpora.download(name, options.folder, version))
        kernels = result["kernels"]
        left = [kernel for kernel in kernels if kernel["status"] == "left"]
        broken = [kernel for kernel in left if is_broken(kernel)]
        upgraded = len(kernels) - len(left)
        percent = 100 * upgraded / max(1, len(kernels) - len(broken))
        below += percent < floor
        print(
            f"| {name} {version} | {result['kernels_read']} | {len(kernels)} | {len(broken)} | {upgraded} "
            f"| {len(left) - len(broken)} | {percent:.1f} | {result['seconds']:.1f} |",
            flush=True,
        )
        for kernel in left if options.left else []:
            for reason in kernel["reasons"][:1]:
                place = f"{reason.get('path', kernel['path'])}:{reason.get('line', kernel['line'])}"
                print(f"  {place} {kernel['name']}: {reason['reason']}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
