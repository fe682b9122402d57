# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many faults of public packages `nereid audit` finds that a later release mends.

    python bench/recall.py FOLDER               the table by kind; releases that FOLDER lacks are downloaded
    python bench/recall.py FOLDER --each        ... and each fault: which rules find it
    python bench/recall.py FOLDER --notes       notes count as findings

Reads bench/recall/fixes.txt. A fault is found when something is reported in its function before the fix, by a rule that
speaks of such faults, at a line that the release after the fix has no more such report of. Needs build/release/nereid, and
pip's access to a package index for what FOLDER does not hold yet. Nothing of a package is executed.
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

from corpora import NEREID, download

FIXES = Path(__file__).resolve().parent / "recall" / "fixes.txt"
# The rules that speak of a kind of fault.
RULES = {
    "overflow": ["TRC005"],
    "padding": ["TRC003", "TRC004", "TRN009"],
    "mask": ["TRC001", "TRC002", "TRC003"],
    "nan": ["TRN002", "TRN003", "TRN004", "TRN008"],
    "precision": ["TRN001", "TRN015", "TRN016"],
    "race": ["TRC006", "TRC007", "TRC021"],
    "contiguity": ["TRC001", "TRC006", "TRC011"],
    "grid": ["TRC001", "TRC006", "TRC012"],
    "key": ["TRP005", "TRP006", "TRC010"],
}


def read_fixes():
    for line in FIXES.read_text().splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split("|")]


def audit(path):
    run = subprocess.run([NEREID, "audit", path, "--json", "--timeout", "5"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"nereid audit {path} ended with {run.returncode}: {run.stderr[-2000:]}")
    return json.loads(run.stdout)["findings"]


def lines_of(path, function):
    """The lines of a function of the file, of whatever class."""
    lines = path.read_text().splitlines()
    for start, line in enumerate(lines):
        if line.strip().startswith(f"def {function}("):
            indent = len(line) - len(line.lstrip())
            end = start + 1
            while end < len(lines) and (
                not lines[end].strip()
                or len(lines[end]) - len(lines[end].lstrip()) > indent
                or lines[end].strip().startswith(")")
            ):
                end += 1
            return range(start + 1, end + 1)
    raise SystemExit(f"{path} has no function {function}")


def reports(path, function, kind, severities):
    """What the rules of the kind report of the function: the rule with the text of the line."""
    inside = lines_of(path, function)
    text = path.read_text().splitlines()
    return {
        (finding["rule"], text[place["line"] - 1].strip())
        for finding in audit(path)
        if finding["rule"] in RULES[kind] and finding["severity"] in severities
        for place in [finding, *finding["places"]]
        if (finding["kernel"] == function or place.get("line") in inside)
        and Path(place.get("path", "")).name == path.name
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--notes", action="store_true")
    options = parser.parse_args()
    severities = ["error", "warning"] + ["note"] * options.notes
    found, all_, quiet = collections.Counter(), collections.Counter(), collections.Counter()
    for package, before, after, file, function, kind, what in read_fixes():
        old = reports(download(package, options.folder, before) / file, function, kind, severities)
        new = reports(download(package, options.folder, after) / file, function, kind, severities)
        mended = old - new
        all_[kind] += 1
        found[kind] += bool(mended)
        quiet[kind] += bool(mended) and not new
        if options.each:
            rules = ", ".join(sorted({rule for rule, _ in mended})) or "-"
            rest = "" if not new else f" ({len(new)} left)"
            print(f"{rules:8}{rest} {kind}: {package} {before} {Path(file).name} {function}: {what}", flush=True)
    print("| kind | faults | found | quiet after the fix |")
    print("|---|---|---|---|")
    for kind in all_:
        print(f"| {kind} | {all_[kind]} | {found[kind]} | {quiet[kind]} |")
    print(f"| all | {sum(all_.values())} | {sum(found.values())} | {sum(quiet.values())} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
