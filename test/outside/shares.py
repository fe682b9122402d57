# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shares of long suites: `K/N` is every Nth item from the Kth, `commit/N` another of the N shares with each commit."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELP = "K/N: every Nth, from the Kth; commit/N: from one that moves with each commit"


def count_commits():
    done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    # A tree without its history has the first share.
    return int(done.stdout) if done.returncode == 0 else 0


def choose(items, share):
    """The items of a share."""
    first, step = share.split("/")
    start = count_commits() if first == "commit" else int(first)
    return list(items)[start % int(step) :: int(step)]
