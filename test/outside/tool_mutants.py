#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in the tool, one at a time: is each noticed by the suite that is named for it?

    tool_mutants.py [--only WORD] [--tree FOLDER] [--preset dev] [--check]

test/mutations/tool.txt holds edits of rules in src/: a file, a text that stands in it once, another text, what has to be
built, and a command that must fail then. Each edit is made in a scratch copy of the tree (build/tool-mutants, or --tree: a
copy that is there and built), which is built, judged and restored. A command must pass on the copy as it is, or it judges
nothing. --check only looks whether each text stands in its file once, and each edit in docs/testing.md.

Prints a line an edit; exits 1 where one is not noticed, does not build or is not found.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "test/mutations/tool.txt"
FIELDS = ("file", "old", "new", "build", "noticed by")
#: Seconds that a judge may take: an edit may also make a loop that does not end.
LIMIT = 900


@dataclasses.dataclass
class Edit:
    name: str
    file: str
    old: str
    new: str
    #: Targets, and the command that notices; `{build}` is the folder of the build.
    build: str
    command: str


def read_table(path=TABLE):
    """Entries of `name`, then a line for each field, apart by empty lines."""
    edits = []
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
    for entry in filter(None, (part.strip() for part in text.split("\n\n"))):
        name, *lines = entry.splitlines()
        fields = [line.strip().partition(": ") for line in lines]
        if tuple(key for key, _, _ in fields) != FIELDS:
            raise SystemExit(f"{path.name}: '{name}': expected the lines {', '.join(FIELDS)}")
        edits.append(Edit(name, *(value for _, _, value in fields)))
    return edits


def find_problem(tree, edit):
    """What is wrong with an entry; empty where its text stands in the file once."""
    path = tree / edit.file
    count = path.read_text().count(edit.old) if path.exists() else -1
    if count == 1:
        return ""
    return (
        f"no file {edit.file}" if count < 0 else f"the text stands in {edit.file} {count} times, not once: {edit.old}"
    )


def find_untold(edit):
    """The list of docs/testing.md names every edit."""
    told = f"| {edit.name} |" in (ROOT / "docs/testing.md").read_text()
    return "" if told else "docs/testing.md does not list it"


def prepare(tree, preset):
    """A scratch clone of the checkout as it is committed; ccache knows what it has seen at another path."""
    environment = {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1"}
    if not tree.exists():
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(tree)], check=True)
        (tree / ".venv").symlink_to((ROOT / ".venv").resolve())
        (tree / "build").mkdir(exist_ok=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run(["git", "fetch", "-q", "origin"], cwd=tree, check=True)
    subprocess.run(["git", "checkout", "-q", "--force", head], cwd=tree, check=True)
    release = tree / "build/release"
    if not release.exists():
        release.symlink_to(preset)
    return environment


def run(command, tree, environment, limit=None):
    """Status and the end of what was said."""
    try:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return 124, f"takes longer than {limit} s"
    return done.returncode, done.stdout.decode(errors="replace").strip()[-600:]


class Judge:
    def __init__(self, tree, preset, environment):
        self.tree, self.preset, self.environment = tree, preset, environment
        self.known = {}

    def build(self, targets):
        return run(f"scripts/build {self.preset} {targets}", self.tree, self.environment)

    def ask(self, edit):
        return run(edit.command.replace("{build}", f"build/{self.preset}"), self.tree, self.environment, LIMIT)

    def passes_itself(self, edit):
        """What the command says against the tree as it is."""
        if edit.command not in self.known:
            status, said = self.build(edit.build)
            self.known[edit.command] = f"the tree does not build: {said}" if status else ""
            if not status:
                status, said = self.ask(edit)
                self.known[edit.command] = f"fails without the edit: {said}" if status else ""
        return self.known[edit.command]

    def judge(self, edit):
        """An empty text where the edit is noticed, else what is wrong."""
        problem = find_problem(self.tree, edit) or self.passes_itself(edit)
        if problem:
            return problem
        path = self.tree / edit.file
        text = path.read_text()
        try:
            path.write_text(text.replace(edit.old, edit.new))
            status, said = self.build(edit.build)
            if status:
                return f"does not build: {said}"
            status, said = self.ask(edit)
            return "" if status else f"not noticed by {edit.command}"
        finally:
            path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--preset", default="dev")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    edits = [edit for edit in read_table() if options.only in edit.name]
    if options.check:
        problems = [(edit, find_problem(ROOT, edit) or find_untold(edit)) for edit in edits]
    else:
        tree = (options.tree or ROOT / "build/tool-mutants").resolve()
        environment = dict(os.environ) if options.tree else prepare(tree, options.preset)
        judge, problems = Judge(tree, options.preset, environment), []
        for edit in edits:
            start = time.monotonic()
            problems.append((edit, judge.judge(edit)))
            print(
                f"{'MISSED' if problems[-1][1] else 'noticed'} {edit.name} ({time.monotonic() - start:.0f} s)",
                flush=True,
            )
        judge.build(" ".join(sorted({target for edit in edits for target in edit.build.split()})))
    wrong = [(edit, problem) for edit, problem in problems if problem]
    for edit, problem in wrong:
        print(f"FAIL {edit.name}: {problem}")
    print(f"tool mutants: {len(problems) - len(wrong)} right, {len(wrong)} wrong")
    return 1 if wrong or not problems else 0


if __name__ == "__main__":
    sys.exit(main())
