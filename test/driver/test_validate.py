# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid validate`: what it covers, reports and refuses. That it finds wrong kernels is tested in unittest/validate."""

import collections
import html.parser
import json

from snippets import SOFTMAX


def validate(nereid, text, inputs, *more):
    nereid.write("program.py", text)
    result = nereid("validate", "program.py", "--inputs", inputs, "--json", *more, limit=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


def test_report(nereid):
    report = validate(nereid, SOFTMAX, "x=f32[M,N]")
    assert report["valid"] and report["program"] == "softmax" and report["source"] == "program.py"
    assert report["dtypes"] == ["f32", "f16", "bf16", "f64"]
    assert [stage["stage"] for stage in report["stages"]] == [1, 2, 3]
    for stage in report["stages"]:
        # Size 64 alone has 4 types x 11 patterns x 5 layouts.
        assert stage["passed"] >= 220 and stage["failed"] == 0 and stage["failures"] == []
        assert 0 < stage["worst"]["ratio"] <= 1
    [skip] = report["skipped"]
    assert "size 0" in skip["reason"] and "amax" in skip["reason"]


def test_text(nereid):
    nereid.write("program.py", "def double(x):\n    return x + x\n")
    result = nereid("validate", "program.py", "--inputs", "x=f32[M,N]")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "double: f32, f16, bf16, f64"
    assert lines[-1].startswith("valid (")
    assert "validating" not in result.stderr, "progress is for terminals"


def test_cases(nereid):
    report = validate(nereid, SOFTMAX, "x=f32[M,N]", "--largest", "2000")
    cases = report["cases"]
    for member, choices in {
        "dtype": {"f32", "f16", "bf16", "f64"},
        "layout": {"contiguous", "transposed", "strided", "offset", "expanded"},
        "size": {"0", "1", "7", "64", "1000", "4096", "typical", "1000000"},
        "values": {"normal", "zeros", "ones", "1e6", "1e-6", "negative", "alternating", "overflow", "underflow"}
        | {"inf", "nan"},
    }.items():
        assert {case[member] for case in cases} == choices
    assert {case["sizes"] for case in cases if case["size"] == "7"} >= {
        "M = 1, N = 7",
        "M = 7, N = 7",
        "M = 256, N = 7",
    }
    ran = [case for case in cases if "skipped" not in case]
    assert len(ran) == report["stages"][0]["passed"]
    for case in ran:
        assert [stage["status"] for stage in case["stages"]] == ["passed"] * 3
    assert {case["size"] for case in cases if "more than 2000" in case.get("skipped", "")} >= {"4096", "1000000"}
    assert [cost["launches"] for cost in report["costs"]] == [5, 1, 1]
    assert "softmax_kernel" in [kernel["name"] for kernel in report["costs"][1]["kernels"]]


def test_a_line_for_each_case(nereid):
    nereid.write("program.py", SOFTMAX)
    result = nereid("validate", "program.py", "--inputs", "x=f32[M,N]", "--stage", "3", "--largest", "100", "--cases")
    lines = result.stdout.splitlines()
    assert any(line.startswith("  f32, normal, contiguous, size 64 (M = 7, N = 64): passed (0.") for line in lines)
    assert any("size 4096" in line and line.endswith("skipped: of more than 100 elements") for line in lines)


class Page(html.parser.HTMLParser):
    """Counts tags, and keeps what would be asked for from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.outside = collections.Counter(), [], []
        self.feed(text)
        assert self.open == [], "tags are left open"

    def handle_starttag(self, tag, attributes):
        self.counts[tag] += 1
        self.outside += [value for name, value in attributes if name in ("src", "href", "srcset", "data")]
        if tag not in ("meta", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.counts[tag] += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page(nereid):
    nereid.write("program.py", SOFTMAX)
    options = ["--largest", "100", "--html", "report/page.html"]
    result = nereid("validate", "program.py", "--inputs", "x=f32[M,N]", *options)
    assert result.returncode == 0, result.stderr
    assert [path.name for path in (nereid.folder / "report").iterdir()] == ["page.html"], "no temporary is left"
    text = (nereid.folder / "report/page.html").read_text()
    page = Page(text)
    assert page.outside == [] and "@import" not in text and "url(" not in text
    assert page.counts["svg"] == 4 and page.counts["table"] >= 4 and page.counts["h2"] >= 5
    assert "prefers-color-scheme: dark" in text
    assert "softmax is valid" in text and "Fuses max, sub, exp, sum, div of program.py:5-7." in text
    assert text.count("<path") == 4 * 4, "three stages and the bound for each dtype"


def test_page_that_cannot_be_written(nereid):
    nereid.write("program.py", "def f(x):\n    return -x\n")
    nereid.write("file", "")
    result = nereid("validate", "program.py", "--inputs", "x=f32[N]", "--largest", "64", "--html", "file/page.html")
    assert result.returncode == 2 and "cannot write 'file/page.html'" in result.stderr


def test_one_stage(nereid):
    report = validate(nereid, SOFTMAX, "x=f32[M,N]", "--stage", "2")
    assert [stage["stage"] for stage in report["stages"]] == [2]


def test_type_that_the_program_refuses(nereid):
    text = "import torch\n\n\ndef f(x):\n    if x.dtype == torch.float16:\n        raise TypeError('no halves')\n    return -x\n"
    report = validate(nereid, text, "x=f32[M,N]")
    assert report["dtypes"] == ["f32", "bf16", "f64"]
    [skip] = report["skipped"]
    assert skip["dtype"] == "f16" and "no halves" in skip["reason"]


def test_other_types_are_validated_as_written(nereid):
    report = validate(nereid, "def f(x, y):\n    return x + y\n", "x=f64[M,N],y=f32[M,N]")
    assert report["dtypes"] == ["f32", "f16", "bf16", "f64", "as written"]
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


def test_numbers_beyond_integers(nereid):
    # Such casts have no value: x86 gives the least integer, GPUs the nearest, or 0 of a NaN.
    text = "import torch\n\n\ndef f(x):\n    return x.log().to(torch.int32), (x * 1e30).to(torch.int64) + 1\n"
    report = validate(nereid, text, "x=f32[N]")
    assert report["valid"]
