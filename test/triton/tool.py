# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tools of this build are."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def find_tool(name="nereid-triton"):
    """NEREID_BUILD names the build folder; without it the release build is used, else the dev build."""
    given = os.environ.get("NEREID_BUILD")
    folders = [given] if given else [ROOT / "build" / preset for preset in ("release", "dev")]
    for folder in folders:
        tool = pathlib.Path(folder).resolve() / name
        if tool.exists():
            return str(tool)
    raise SystemExit(f"no {name} found: run scripts/build release {name}, or set NEREID_BUILD")
