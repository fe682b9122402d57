# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example of docs/add-an-operator.md stands in the prelude as shown, and is compared with PyTorch."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def main():
    guide = (ROOT / "docs/add-an-operator.md").read_text()
    example = re.search(r"```python\n(.*?)```", guide, re.S)[1]
    prelude = (ROOT / "src/frontend/torch/prelude/activations.py").read_text()
    table = (ROOT / "test/torch/table.py").read_text()
    name = re.search(r"def (\w+)", example)[1]
    problems = []
    if example not in prelude:
        problems.append("the example is not in the prelude as the guide shows it")
    if f"F.{name}(x)" not in table:
        problems.append(f"test/torch/table.py has no row for F.{name}(x)")
    print("guide: " + ("; ".join(problems) or f"{name} stands as shown and is tested"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
