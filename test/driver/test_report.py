# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid convert --report`: what each stage bought, as a page, as Markdown and as JSON."""

import json

from snippets import SOFTMAX


def convert(nereid, *options):
    nereid.write("program.py", SOFTMAX)
    result = nereid("convert", "program.py", "--inputs", "x=f32[M,N]", "-o", "out", *options)
    assert result.returncode == 0, result.stderr
    return result


def test_markdown(nereid):
    convert(nereid, "--report", "out/report.md")
    lines = (nereid.folder / "out/report.md").read_text().splitlines()
    assert lines[0] == "# softmax: what each stage bought"
    rows = [line for line in lines if line.startswith("| ") and line[2].isdigit()]
    assert [row.split(" | ")[:2] for row in rows] == [["| 1", "5"], ["| 2", "1"], ["| 3", "1"]]
    assert "4 fewer launches" in rows[1] and "5 of 5" in rows[2]
    assert "    Fuses max, sub, exp, sum, div of program.py:5-7." in lines


def test_terms_and_moves(nereid):
    printed = json.loads(convert(nereid, "--report", "out/report.md", "--json", "--stage", "2").stdout)
    [file] = printed["files"]
    kernel = file["kernels"][0]
    terms = kernel["estimated_terms"]
    slowest = max(terms["memory"], terms["caches"], terms["arithmetic"])
    whole = terms["launch"] + slowest + terms["programs"] + terms["again"]
    assert abs(whole - kernel["estimated_us"]) < 1e-6 and terms["launch"] > 0 < terms["memory"]
    # Five values, of which four are made in place of being stored.
    assert sum(len(move["values"]) for move in file["moves"] if move["move"] == "inline") >= 3
    assert all(move["gained_us"] > 0 for move in file["moves"])
    text = (nereid.folder / "out/report.md").read_text()
    assert "## What is expected of the kernels of stage 2" in text and "| softmax_kernel |" in text
    assert "## What the moves of stage 2 gained" in text and "| inline |" in text


def test_html(nereid):
    convert(nereid, "--report", "out/report.html", "--stage", "2")
    text = (nereid.folder / "out/report.html").read_text()
    assert text.startswith("<!doctype html>") and "src=" not in text and "href=" not in text
    assert "<td>softmax_stage2.py</td>" in text.replace("out/", "") and "Kernels of stage 2" in text


def test_json_is_what_is_printed(nereid):
    printed = json.loads(convert(nereid, "--report", "out/report.json", "--json").stdout)
    assert json.loads((nereid.folder / "out/report.json").read_text()) == printed
    first, second, third = printed["files"]
    assert first["estimated_us"] > second["estimated_us"] > 0
    assert first["launched_bytes_at"] > second["launched_bytes_at"] == second["least_bytes_at"]
    assert all(kernel["estimated_us"] > 1 for kernel in third["kernels"])


def test_another_suffix_is_refused(nereid):
    nereid.write("program.py", SOFTMAX)
    nereid.refuses(
        ["convert", "program.py", "--inputs", "x=f32[M,N]", "-o", "out", "--report", "report.txt"],
        "'report.txt' does not end in .html, .md or .json",
    )
