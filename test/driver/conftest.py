# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command line on small files in a folder of its own.

The binary is $NEREID, else that of the release build, else that of the dev build.
"""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def find_binary():
    candidates = [os.environ.get("NEREID"), ROOT / "build/release/nereid", ROOT / "build/dev/nereid"]
    for candidate in candidates:
        if candidate and Path(candidate).exists():
            return str(Path(candidate).resolve())
    pytest.exit("no nereid binary: run scripts/build release nereid")


class CommandLine:
    def __init__(self, folder):
        self.folder = folder
        self.binary = find_binary()

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def __call__(self, *arguments, limit=60, env=None):
        return subprocess.run(
            [self.binary, *map(str, arguments)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            env={**os.environ, **(env or {})},
        )

    def refuses(self, arguments, *expected, limit=60):
        """The command fails as bad input with these texts on standard error, and leaves no file behind."""
        before = sorted(path.name for path in self.folder.iterdir())
        result = self(*arguments, limit=limit)
        assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
        for text in expected:
            assert text in result.stderr, f"{text!r} is not in:\n{result.stderr}"
        assert sorted(path.name for path in self.folder.iterdir()) == before, "files were left behind"
        assert result.stdout == ""
        return result


@pytest.fixture
def nereid(tmp_path):
    return CommandLine(tmp_path)
