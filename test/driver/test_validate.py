# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid validate`: what it covers, reports and refuses. That it finds wrong kernels is tested in unittest/validate."""

import json

SOFTMAX = """import torch


def softmax(x):
    shifted = x - x.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
"""


def validate(nereid, text, inputs, *more):
    nereid.write("program.py", text)
    result = nereid("validate", "program.py", "--inputs", inputs, "--json", *more, limit=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


def test_report(nereid):
    report = validate(nereid, SOFTMAX, "x=f32[M,N]")
    assert report["valid"] and report["program"] == "softmax" and report["source"] == "program.py"
    assert report["dtypes"] == ["f32", "f16", "bf16"]
    assert [stage["stage"] for stage in report["stages"]] == [1, 2, 3]
    for stage in report["stages"]:
        # Size 64 alone has 3 types x 8 patterns x 5 layouts.
        assert stage["passed"] >= 120 and stage["failed"] == 0 and stage["failures"] == []
        assert 0 < stage["worst"]["ratio"] <= 1
    [skip] = report["skipped"]
    assert "size 0" in skip["reason"] and "amax" in skip["reason"]


def test_text(nereid):
    nereid.write("program.py", "def double(x):\n    return x + x\n")
    result = nereid("validate", "program.py", "--inputs", "x=f32[M,N]")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "double: f32, f16, bf16"
    assert lines[-1].startswith("valid (")
    assert "validating" not in result.stderr, "progress is for terminals"


def test_one_stage(nereid):
    report = validate(nereid, SOFTMAX, "x=f32[M,N]", "--stage", "2")
    assert [stage["stage"] for stage in report["stages"]] == [2]


def test_type_that_the_program_refuses(nereid):
    text = "import torch\n\n\ndef f(x):\n    if x.dtype == torch.float16:\n        raise TypeError('no halves')\n    return -x\n"
    report = validate(nereid, text, "x=f32[M,N]")
    assert report["dtypes"] == ["f32", "bf16"]
    [skip] = report["skipped"]
    assert skip["dtype"] == "f16" and "no halves" in skip["reason"]


def test_other_types_are_validated_as_written(nereid):
    report = validate(nereid, "def f(x, y):\n    return x + y\n", "x=f64[M,N],y=f32[M,N]")
    assert report["dtypes"] == ["f32", "f16", "bf16", "as written"]
    report = validate(nereid, "def f(x, y):\n    return x // 3 + y\n", "x=i32[M,N],y=i64[M,N]")
    assert report["dtypes"] == ["as written"]


def test_sizes_that_must_be_multiples(nereid):
    report = validate(nereid, "def f(x):\n    a, b = x.chunk(2, dim=-1)\n    return a * b\n", "x=f32[M,N]")
    assert all(stage["passed"] > 100 for stage in report["stages"])


def test_mutated_inputs(nereid):
    validate(nereid, "def f(x, y):\n    x += y\n    return x * 2\n", "x=f32[M,N],y=f32[M,N]")


def test_scalars_and_bounded_integers(nereid):
    text = "import torch\n\n\ndef f(x, flags, alpha):\n    return torch.where(flags, x * alpha, x)\n"
    validate(nereid, text, "x=f32[M,N],flags=bool[M,N],alpha=f64")


def test_several_results(nereid):
    text = "def f(x):\n    return x.amax(-1), {'mean': x.mean(-1), 'where': x.argmax(-1)}\n"
    validate(nereid, text, "x=f32[M,N]")


def test_it_is_the_same_every_time(nereid):
    first, second = (validate(nereid, SOFTMAX, "x=f32[M,N]") for _ in range(2))
    for report in (first, second):
        del report["seconds"]
    assert first == second
