# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many faults of public packages `nereid audit` finds that a later release mends.

    python bench/recall.py FOLDER               the table by kind; releases that FOLDER lacks are downloaded
    python bench/recall.py FOLDER --each        ... and each fault: which rules find it
    python bench/recall.py FOLDER --notes       notes count as findings
    python bench/recall.py FOLDER --written     of faults that were written for it, in place of those of packages; FOLDER gets them

Reads bench/recall/fixes.txt, or bench/recall/written.txt, whose cases are a faulty program and a mended one. A fault is found when something is reported in its function before the fix, by a rule that
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
WRITTEN = FIXES.with_name("written.txt")
IMPORTS = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
# The rules that speak of a kind of fault.
RULES = {
    "overflow": ["TRC005"],
    "padding": ["TRC003", "TRC004", "TRN009"],
    "mask": ["TRC001", "TRC002", "TRC003"],
    "nan": ["TRN002", "TRN003", "TRN004", "TRN005", "TRN008"],
    "precision": ["TRN001", "TRN015", "TRN016"],
    "race": ["TRC006", "TRC007", "TRC021"],
    "contiguity": ["TRC001", "TRC006", "TRC011"],
    "grid": ["TRC001", "TRC006", "TRC012"],
    "key": ["TRP005", "TRP006", "TRC010"],
}
# ... of the kinds of written.txt that are others.
RULES_OF_WRITTEN = RULES | {
    "neutral": RULES["padding"],
    "strides": ["TRC001", "TRC006", "TRC009", "TRC011"],
    "grid": ["TRC001", "TRC006", "TRC009", "TRC012", "TRC013"],
    "hole": ["TRC009"],
    "uninit": ["TRC009", "TRC027"],
    "tuning": RULES["key"],
    "index": ["TRC001", "TRC002", "TRC003", "TRC019", "TRC020"],
    "compile": ["TRC012", "TRC014", "TRC015"],
    "semantics": ["TRC001", "TRC006", "TRC023", "TRC026", "TRC028"],
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


def read_written():
    """The cases: what stands behind `===`, and the lines."""
    case = None
    for line in WRITTEN.read_text().splitlines():
        if line.startswith("=== "):
            if case:
                yield case
            case = ([part.strip() for part in line[4:].split("|")], [])
        elif case:
            case[1].append(line)
    yield case


def write_twin(lines, sign, path):
    kept = [line[line[:1] == sign :] for line in lines if line[:1] == sign or line[:1] not in ("-", "+")]
    path.write_text(IMPORTS + "\n".join(kept) + "\n")
    return path


def measure_written(options, severities):
    """A fault is found when a rule of its kind tells something of the faulty program that it does not tell of the other; a
    program that is mended and of which something is told is an alarm."""
    options.folder.mkdir(exist_ok=True)
    counts = collections.Counter()
    kinds = []
    for (name, kind, half, _, what), lines in read_written():
        told = []
        for sign, word in [("-", "faulty"), ("+", "mended")]:
            path = write_twin(lines, sign, options.folder / f"{name}_{word}.py")
            text = path.read_text().splitlines()
            told.append(
                {
                    (finding["rule"], text[finding.get("line", 1) - 1].strip())
                    for finding in audit(path)
                    if finding["severity"] in severities
                }
            )
        found = sorted({rule for rule, _ in told[0] - told[1] if rule in RULES_OF_WRITTEN[kind]})
        kinds += [kind] if kind not in kinds else []
        for key in (kind, "all"):
            counts[key, half] += 1
            counts[key, half, "found"] += bool(found)
            counts[key, "alarms"] += bool(told[1])
        if options.each:
            rest = ", ".join(sorted({rule for rule, _ in told[1]}))
            print(f"{', '.join(found) or '-':14} {half} {kind}: {name}: {what}" + (f" ({rest} when mended)" if rest else ""))
    print("| kind | faults | found | held out | found | alarms when mended |")
    print("|---|---|---|---|---|---|")
    for kind in [*kinds, "all"]:
        row = [counts[kind, "seen"], counts[kind, "seen", "found"], counts[kind, "held"], counts[kind, "held", "found"]]
        print(f"| {kind} | " + " | ".join(map(str, [*row, counts[kind, "alarms"]])) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--written", action="store_true")
    options = parser.parse_args()
    severities = ["error", "warning"] + ["note"] * options.notes
    if options.written:
        measure_written(options, severities)
        return 0
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
