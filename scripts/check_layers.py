#!/usr/bin/env python3
"""Fails on an include that points upward: from a room of src/ to one of a higher layer, or to a peer that it may not see.

Rooms that have rooms of their own put these in an order: each may include those before it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src"

# Each room and the rooms that it may include, beside itself.
IR = {"sym", "tile", "host"}
ALLOWED = {
    "support": set(),
    "index": {"support"},
    "python": {"support"},
    "sym": {"support", "index"},
    "tile": {"support", "index", "sym"},
    "host": {"support", "index", "sym", "tile"},
    "graph": {"support", "index", "sym"},
    "interpreter": {"support", "index"} | IR,
    "analysis": {"support", "index", "interpreter"} | IR,
    "autodiff": {"index", "sym", "graph"},
    "frontend/triton": {"support", "index", "python"} | IR,
    "frontend/torch": {"support", "index", "python", "sym", "host", "graph"},
    "audit": {"support", "index", "python", "interpreter", "analysis", "frontend/triton"} | IR,
    "upgrade": {"support", "python", "frontend/triton", "audit", "interpreter"} | IR,
    "fix": {"support", "python", "audit", "upgrade"},
    "eager": {"support", "python", "graph", "interpreter", "frontend/triton", "frontend/torch", "audit", "validate"} | IR,
    "lsp": {"support", "python", "frontend/triton", "audit", "upgrade", "fix"},
    "emit": {"support", "index"} | IR,
    "schedule": {"support", "index", "graph"} | IR,
    "validate": {"support", "index", "graph", "interpreter"} | IR,
}
EVERYTHING = set(ALLOWED)
ALLOWED["driver"] = EVERYTHING

# The rooms within a room, from the lowest up; "" is what lies in the room itself.
WITHIN = {
    "graph": ["", "transforms"],
    "tile": ["", "transforms"],
    "schedule": ["policy", "program", "folds", "nest", "rewrites", "partition", "kernel", "host", ""],
}


def split(path):
    """The room of a file, and which of the rooms within it."""
    parts = path.parts[:-1]
    room = "/".join(parts[:2]) if parts[0] == "frontend" else parts[0]
    return room, "/".join(parts[1:]) if room in WITHIN else ""


def is_allowed(own, inner, target, target_inner):
    if own != target:
        return target not in ALLOWED or target in ALLOWED.get(own, set())
    order = WITHIN.get(own)
    return not order or order.index(target_inner) <= order.index(inner)


def main():
    wrong = 0
    for file in sorted(ROOT.rglob("*")):
        if file.suffix not in (".h", ".cpp", ".td"):
            continue
        relative = file.relative_to(ROOT)
        if len(relative.parts) == 1:
            continue
        place = split(relative)
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = re.match(r'\s*#?include "([^"]+)"', line)
            if not match or "/" not in match[1]:
                continue
            target = split(Path(match[1]))
            if not is_allowed(*place, *target):
                own, other = ("/".join(filter(None, one)) for one in (place, target))
                print(f"src/{relative}:{number}: '{own}' may not include '{other}'")
                wrong += 1
    print(f"layers: {wrong} upward includes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
