# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `nereid audit` proves and finds in public packages, and how fast.

    python bench/audit.py FOLDER                      all packages of bench/corpora.py that FOLDER holds or can get
    python bench/audit.py FOLDER liger-kernel         these alone
    python bench/audit.py FOLDER --reasons 20         ... and why properties stay unknown, by count
    python bench/audit.py FOLDER --findings           ... and every error and warning with its place

Needs build/release/nereid, and pip's access to a package index for what FOLDER does not hold yet.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
from pathlib import Path

from corpora import NEREID, PACKAGES, find


def audit(path, seconds):
    run = subprocess.run([NEREID, "audit", path, "--json", "--timeout", str(seconds)], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"nereid audit {path} ended with {run.returncode}: {run.stderr[-2000:]}")
    return json.loads(run.stdout)


def generalise(reason):
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'_'", reason))[:120]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--reasons", type=int, default=0, metavar="N")
    parser.add_argument("--findings", action="store_true")
    parser.add_argument("--timeout", type=float, default=5, metavar="SECONDS")
    options = parser.parse_args()
    reasons = collections.Counter()
    print("| package | kernels | launched | proved | counterexample | unknown | errors | warnings | notes | seconds | slowest |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in options.packages or PACKAGES:
        result = audit(find(name, options.folder), options.timeout)
        kernels = [kernel for kernel in result["kernels"] if "caller" not in kernel]
        accesses = [access for kernel in kernels for access in kernel["accesses"]]
        verdicts = collections.Counter(access["verdict"] for access in accesses)
        findings = collections.Counter(finding["severity"] for finding in result["findings"])
        reasons.update(generalise(access["reason"]) for access in accesses if access["verdict"] == "unknown")
        print(
            f"| {name} {PACKAGES.get(name, '')} | {len(kernels)} | {sum(kernel['launches'] > 0 for kernel in kernels)} "
            f"| {verdicts['proved']} | {verdicts['counterexample']} | {verdicts['unknown']} "
            f"| {findings['error']} | {findings['warning']} | {findings['note']} "
            f"| {result['seconds']:.1f} | {max(kernel['seconds'] for kernel in kernels):.1f} |",
            flush=True,
        )
        if options.findings:
            for finding in result["findings"]:
                if finding["severity"] != "note":
                    place = f"{finding.get('path')}:{finding.get('line')}"
                    print(f"  {place}: {finding['severity']} {finding['rule']} {finding['kernel']}: {finding['message']}")
    for reason, count in reasons.most_common(options.reasons):
        print(f"{count:5} {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
