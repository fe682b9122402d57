# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The companion of a conversion: it judges the files of all stages, and a file without it has the command line itself."""

import json
import os
import re
import subprocess
import sys

import pytest

PROGRAM = """import dataclasses

import torch


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    scale: torch.Tensor


def weighted(batch: Batch):
    return (batch.x * batch.scale).sum(-1)


def get_inputs():
    return [Batch(torch.randn(3, 5), torch.randn(5))]
"""


@pytest.fixture
def folder(nereid):
    nereid.write("program.py", PROGRAM)
    return nereid.folder


def convert(nereid, *options):
    done = nereid("convert", "program.py", "-o", "out", "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run(folder, *command):
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-W", "ignore", *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_all_stages(nereid, folder):
    assert convert(nereid)["check"] == "out/weighted_check.py"
    status, said = run(folder, "out/weighted_check.py", "--validate", "--reference", "program.py")
    assert status == 0, said
    names = [line for line in said.splitlines() if line.endswith(":")]
    assert names == ["weighted_stage1:", "weighted_stage2:", "weighted_stage3:"]
    assert said.count(", 0 wrong") == 3
    status, said = run(folder, "out/weighted_check.py", "--validate", "--stage", "2", "--reference", "program.py")
    assert status == 0 and said.count(", 0 wrong") == 1, said


def test_a_wrong_stage_is_told(nereid, folder):
    convert(nereid)
    path = folder / "out/weighted_stage2.py"
    text = path.read_text()
    changed = re.sub(r"\* (\w*scale)\b", r"+ \1", text)
    assert changed != text
    path.write_text(changed)
    status, said = run(folder, "out/weighted_check.py", "--validate", "--reference", "program.py")
    assert status == 1 and said.count(", 0 wrong") == 2, said
    status, _ = run(folder, "out/weighted_stage2.py", "--validate", "--reference", "program.py")
    assert status == 1
    status, said = run(folder, "out/weighted_stage3.py", "--validate", "--reference", "program.py")
    assert status == 0 and said.count(", 0 wrong") == 1, said


def test_standalone(nereid, folder):
    assert "check" not in convert(nereid, "--standalone", "--stage", "2")
    assert [path.name for path in (folder / "out").iterdir()] == ["weighted_stage2.py"]
    status, said = run(folder, "out/weighted_stage2.py", "--validate", "--reference", "program.py")
    assert status == 0 and ", 0 wrong" in said, said


def test_a_file_of_the_user_stays(nereid, folder):
    (folder / "out").mkdir()
    nereid.write("out/weighted_check.py", "print(1)\n")
    done = nereid("convert", "program.py", "-o", "out")
    assert done.returncode != 0 and "'out/weighted_check.py' is no file of nereid's" in done.stderr
    assert (folder / "out/weighted_check.py").read_text() == "print(1)\n"
    assert not (folder / "out/weighted_stage1.py").exists()


def test_no_files(nereid, folder):
    convert(nereid)
    for path in (folder / "out").glob("*_stage?.py"):
        path.unlink()
    status, said = run(folder, "out/weighted_check.py", "--validate", "--reference", "program.py")
    assert status == 2 and "no file weighted_stage*.py is here" in said


def test_functions_of_the_device_library(nereid):
    """Triton's interpreter has none of them: the companion lends them."""
    nereid.write(
        "program.py",
        "import torch\n\n\ndef smooth(x, y):\n"
        "    return torch.erf(x) + torch.expm1(y).round(), torch.atan2(x, y), torch.nextafter(x, y)\n\n\n"
        "def get_inputs():\n    return [torch.randn(3, 5), torch.randn(3, 5)]\n",
    )
    folder = nereid.folder
    convert(nereid)
    status, said = run(folder, "out/smooth_check.py", "--validate", "--reference", "program.py")
    assert status == 0, said


def test_sizes_that_are_refused(nereid):
    """An original of halves broadcasts where one of them has one element, which the file refuses: said, and not wrong."""
    nereid.write(
        "program.py",
        "import torch\n\n\ndef turned(x, y):\n    a, b = x[..., ::2], x[..., 1::2]\n"
        "    return torch.stack((a * y - b, b * y + a), -1).flatten(-2)\n\n\n"
        "def get_inputs():\n    return [torch.randn(3, 8), torch.randn(4)]\n",
    )
    convert(nereid, "--stage", "3")
    status, said = run(nereid.folder, "out/turned_check.py", "--validate", "--reference", "program.py")
    assert status == 0 and ", 0 wrong" in said, said
    refused = "right at multiples of these sizes, which are refused: an axis of size N is cut into equal pieces"
    assert said.count(refused) > 3, said


def test_assertions_of_the_program_and_widths_of_numbers(nereid):
    """An assert of the original is one of the sizes that it refuses; a number is as wide as its kernel takes it."""
    nereid.write(
        "program.py",
        "import math\nimport torch\n\n\ndef program(x, t: float = 0.09):\n    assert x.shape[1] % 5 == 0, 'groups'\n"
        "    y = x / t\n    return torch.logsumexp(y, 1) - x.shape[1] * math.log(t), y.max(1)[0]\n\n\n"
        "def get_inputs():\n    return [torch.randn(4, 5)]\n",
    )
    convert(nereid, "--stage", "3")
    status, said = run(nereid.folder, "out/program_check.py", "--validate", "--reference", "program.py")
    assert "the original raises AssertionError" in said, said
    assert ", 0 wrong" in said and "Traceback" not in said, said


STATISTICS = """import torch.nn.functional as F
import torch


def normed(x, mean, var, w):
    return F.relu(F.batch_norm(x, mean, var, w, training=True, momentum=0.2))


def get_inputs():
    return [torch.randn(3, 4, 5), torch.zeros(4), torch.ones(4), torch.randn(4)]
"""


def test_inputs_without_a_gradient(nereid):
    """Running statistics that the call gives have none: the companion draws such ones, and the file asks for them."""
    nereid.write("program.py", STATISTICS)
    convert(nereid, "--stage", "3", "--backward")
    status, said = run(nereid.folder, "out/normed_check.py", "--validate", "--reference", "program.py")
    assert status == 0 and ", 0 wrong" in said, said
    call = "normed(torch.randn(3, 4, 5), *[torch.ones(4, requires_grad=place == 0) for place in range(3)])"
    nereid.write("call.py", f"import sys\nimport torch\nsys.path.insert(0, 'out')\nfrom normed_stage3 import normed\n{call}\n")
    status, said = run(nereid.folder, "call.py")
    assert status == 1 and "ValueError: mean.requires_grad: the kernels are made for False, found True" in said, said
