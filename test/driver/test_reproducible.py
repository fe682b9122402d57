# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is emitted follows from the program alone: not from where memory lies, which is elsewhere in each run."""

import pytest
from conftest import ROOT

RUNS = 4


# Gradients of max pools before convolutions make several values that stand at one place of the program; loops that are
# given up leave nothing behind.
@pytest.mark.parametrize("model", ["squeezenet", "alexnet", "mobilenet_v2"])
def test_same_in_each_run(nereid, model):
    command = ["compile", ROOT / f"examples/models/{model}.py", "--backward", "--stage", "3", "--emit", "host"]
    results = [nereid(*command) for _ in range(RUNS)]
    assert [result.returncode for result in results] == [0] * RUNS, results[0].stderr
    assert len({result.stdout for result in results}) == 1
