# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nereid run`: arguments, results, findings."""

import json

import numpy as np
import pytest

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def unmasked_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets))


@triton.jit
def racing_kernel(out_ptr):
    tl.store(out_ptr, tl.program_id(0))


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, bias_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) * factor
    if bias_ptr is not None:
        x += tl.load(bias_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x, mask=mask)


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def even_kernel(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), 1.0 if EVEN else 2.0)


@triton.jit
def neighbour_kernel(x_ptr):
    pid = tl.program_id(0)
    tl.store(x_ptr + pid + 1, tl.load(x_ptr + pid))


@triton.jit
def folding_kernel(out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes // 2, lanes)
"""

ADD = ["run", "k.py:add_kernel", "--grid", "8", "--constexpr", "BLOCK=128", "--arg", "n=1000"]


@pytest.fixture
def run(nereid):
    nereid.write("k.py", KERNELS)
    return nereid


def args(**values):
    return [part for name, value in values.items() for part in ("--arg", f"{name}={value}")]


def test_results(run):
    result = run(*ADD, *args(x_ptr="f32[1000]", y_ptr="full(2.5):f32[1000]", out_ptr="zeros:f32[1000]"), "-o", "r.npz")
    assert result.returncode == 0, result.stderr
    assert "8 programs, done" in result.stdout
    arrays = np.load(run.folder / "r.npz")
    assert sorted(arrays) == ["out_ptr", "x_ptr", "y_ptr"]
    assert arrays["x_ptr"].std() > 0.5
    np.testing.assert_array_equal(arrays["out_ptr"], arrays["x_ptr"] + np.float32(2.5))


@pytest.mark.parametrize(
    "spec, dtype",
    [
        ("f64", np.float64),
        ("f16", np.float16),
        ("i64", np.int64),
        ("i32", np.int32),
        ("i16", np.int16),
        ("i8", np.int8),
        ("u8", np.uint8),
        ("u16", np.uint16),
    ],
)
def test_types(run, spec, dtype):
    result = run(
        *ADD, *args(x_ptr=f"{spec}[1000]", y_ptr=f"ones:{spec}[1000]", out_ptr=f"zeros:{spec}[1000]"), "-o", "r.npz"
    )
    assert result.returncode == 0, result.stderr
    arrays = np.load(run.folder / "r.npz")
    assert arrays["out_ptr"].dtype == dtype
    np.testing.assert_array_equal(arrays["out_ptr"], arrays["x_ptr"] + dtype(1))


def test_files(run):
    x = np.linspace(-1, 1, 1000, dtype=np.float32)
    np.save(run.folder / "x.npy", x)
    np.savez(run.folder / "more.npz", y_ptr=2 * x, other=3 * x)
    outputs = args(out_ptr="zeros:f32[1000]") + ["-o", "r.npz"]
    assert run(*ADD, *args(x_ptr="x.npy", y_ptr="more.npz"), *outputs).returncode == 0
    np.testing.assert_array_equal(np.load(run.folder / "r.npz")["out_ptr"], 3 * x)
    assert run(*ADD, *args(x_ptr="x.npy", y_ptr="more.npz:other"), *outputs).returncode == 0
    np.testing.assert_allclose(np.load(run.folder / "r.npz")["out_ptr"], 4 * x, rtol=1e-6)


def test_bf16_travels_as_bits(run):
    bits = (np.arange(1000, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
    np.save(run.folder / "x.npy", bits)
    result = run(*ADD, *args(x_ptr="bf16:x.npy", y_ptr="zeros:bf16[1000]", out_ptr="zeros:bf16[1000]"), "-o", "r.npz")
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(np.load(run.folder / "r.npz")["out_ptr"], bits)


def test_scalars_and_none(run):
    arguments = args(x_ptr="ones:f16[100]", out_ptr="zeros:f32[100]", factor="0.5", bias_ptr="None", n="i64:100")
    result = run("run", "k.py:scale_kernel", "--grid", "1", "--constexpr", "BLOCK=128", *arguments, "-o", "r.npz")
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(np.load(run.folder / "r.npz")["out_ptr"], np.full(100, 0.5, np.float32))


def test_the_seed_decides(run):
    outputs = []
    for seed in (1, 1, 2):
        arguments = args(x_ptr="f32[1000]", y_ptr="f32[1000]", out_ptr="zeros:f32[1000]")
        assert run(*ADD, *arguments, "--seed", seed, "-o", "r.npz").returncode == 0
        outputs.append((run.folder / "r.npz").read_bytes())
    assert outputs[0] == outputs[1] != outputs[2]
    arrays = np.load(run.folder / "r.npz")
    assert (arrays["x_ptr"] != arrays["y_ptr"]).any(), "two arguments are the same numbers"


def test_out_of_bounds_is_found(run):
    arguments = args(x_ptr="f32[1000]", out_ptr="zeros:f32[1024]")
    result = run("run", "k.py:unmasked_kernel", "--grid", "8", "--constexpr", "BLOCK=128", *arguments)
    assert result.returncode == 1
    assert "k.py:18:33: error: out of bounds" in result.stderr
    assert "element 1000 of 'x_ptr'" in result.stderr and "^" in result.stderr


def test_races_are_found_when_checking(run):
    command = ["run", "k.py:racing_kernel", "--grid", "4", *args(out_ptr="zeros:i32[1]")]
    assert run(*command).returncode == 0
    result = run(*command, "--check")
    assert result.returncode == 1
    assert "race" in result.stderr and "k.py:23:" in result.stderr


def test_json(run):
    arguments = args(x_ptr="f32[1000]", out_ptr="zeros:f32[1024]")
    result = run("run", "k.py:unmasked_kernel", "--grid", "8,1", "--constexpr", "BLOCK=128", "--json", *arguments)
    report = json.loads(result.stdout)
    assert result.returncode == 1 and report["valid"] is False
    assert report["kernel"] == "unmasked_kernel" and report["grid"] == [8, 1] and report["programs"] == 8
    finding = report["findings"][0]
    assert (finding["kind"], finding["line"], finding["allocation"]) == ("out of bounds", 18, "x_ptr")
    assert [t["name"] for t in report["tensors"]] == ["x_ptr", "out_ptr"]
    assert [t["written"] for t in report["tensors"]] == [False, True]
    assert report["tensors"][0]["dtype"] == "f32" and report["tensors"][0]["shape"] == [1000]


BAD = {
    "grid": (["--grid", "8,x"], "--grid '8,x'"),
    "four axes": (["--grid", "1,1,1,1"], "one to three numbers"),
    "no value": (["--grid", "8"], "no value is given for 'x_ptr', 'y_ptr', 'out_ptr', 'n', 'BLOCK'"),
    "no name": (["--grid", "8", "--arg", "f32[4]"], "is not NAME=SPEC"),
    "type": (["--grid", "8", "--arg", "x_ptr=f31[4]"], "'f31' is not a type"),
    "named size": (["--grid", "8", "--arg", "x_ptr=f32[N]"], "sizes and strides are numbers here"),
    "size": (["--grid", "8", "--arg", "x_ptr=f32[1000000,1000000]"], "larger than 4 GB"),
    "file": (["--grid", "8", "--arg", "x_ptr=none.npy"], "cannot read 'none.npy'"),
    "twice": (["--grid", "8", "--arg", "n=1", "--arg", "n=2"], "'n' is given twice"),
    "fill": (["--grid", "8", "--arg", "x_ptr=full(x):f32[4]"], "no number to fill with"),
    "constexpr": (
        ["--grid", "8", *args(x_ptr="f32[8]", y_ptr="f32[8]", out_ptr="f32[8]", n="8"), "--constexpr", "BLOCK"],
        "'BLOCK' is not NAME=VALUE",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(run, name):
    arguments, expected = BAD[name]
    run.refuses(["run", "k.py:add_kernel", *arguments], expected)


def test_all_bad_arguments_are_reported(run):
    run.refuses(["run", "k.py:add_kernel", "--grid", "x", "--arg", "a", "--arg", "b=f31[3]"], "--grid", "'a'", "f31")


def test_unknown_kernel(run):
    run.refuses(["run", "k.py:sub_kernel", "--grid", "1"], "no kernel 'sub_kernel'", "add_kernel, unmasked_kernel")


def test_no_kernel_named(run):
    run.refuses(["run", "k.py", "--grid", "1"], "several kernels", "k.py:NAME")


def test_unknown_argument(run):
    arguments = args(x_ptr="f32[8]", y_ptr="f32[8]", out_ptr="f32[8]", n="8", m="9")
    run.refuses(
        ["run", "k.py:add_kernel", "--grid", "1", "--constexpr", "BLOCK=8", *arguments], "k.py:6:", "no argument `m`"
    )


@pytest.mark.parametrize("contents", [b"", b"not an array", b"\x93NUMPY\x01\x00\xff\xff", b"PK\x05\x06" + bytes(18)])
@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_broken_array(run, name, contents):
    run.write(name, contents)
    run.refuses(["run", "k.py:add_kernel", "--grid", "1", "--arg", f"x_ptr={name}"], f"cannot read '{name}'")


def test_compressed_archive(run):
    np.savez_compressed(run.folder / "x.npz", x_ptr=np.zeros(4))
    run.refuses(["run", "k.py:add_kernel", "--grid", "1", "--arg", "x_ptr=x.npz"], "compressed", "numpy.savez")


def test_folder_that_cannot_be_written(run):
    arguments = args(x_ptr="f32[8]", y_ptr="f32[8]", out_ptr="f32[8]", n="8")
    (run.folder / "file").write_text("")
    run.refuses(
        ["run", "k.py:add_kernel", "--grid", "1", "--constexpr", "BLOCK=8", *arguments, "-o", "file/r.npz"],
        "cannot write",
    )


def test_heuristics_see_the_arguments(run):
    command = [
        "run",
        "k.py:even_kernel",
        "--grid",
        "1",
        "--constexpr",
        "BLOCK=8",
        *args(out_ptr="zeros:f32[8]"),
        "-o",
        "r.npz",
    ]
    for n, expected in ((16, 1), (17, 2)):
        assert run(*command, *args(n=n)).returncode == 0
        assert (np.load(run.folder / "r.npz")["out_ptr"] == expected).all()


def test_a_heuristic_without_its_argument(run):
    result = run("compile", "k.py:even_kernel", "--signature", "out_ptr=*fp32,n=i32", "--constexpr", "BLOCK=8")
    assert result.returncode == 2
    assert "the heuristic for `EVEN` needs more than the types" in result.stderr
    assert "--constexpr EVEN=VALUE" in result.stderr


def test_a_race_of_a_read_with_a_write(run):
    for seed in ("0", "1", "2"):
        result = run("run", "k.py:neighbour_kernel", "--grid", "4", *args(x_ptr="f32[8]"), "--check", "--seed", seed)
        assert result.returncode == 1
        assert "race: program" in result.stderr and "of 'x_ptr', which program" in result.stderr


def test_a_race_of_two_lanes(run):
    result = run(
        "run", "k.py:folding_kernel", "--grid", "1", "--constexpr", "BLOCK=8", *args(out_ptr="i32[8]"), "--check"
    )
    assert result.returncode == 1
    assert "two lanes write different values to element 0 of 'out_ptr'" in result.stderr
