# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random small kernels with wrappers, judged by enumeration: what `nereid audit` proves must hold at every launch tried.

    python test/audit/enumerate.py --count 200 --seed 1

Each kernel reads and writes one or two axes at random affine places under a random mask; its wrapper gives sizes, strides
and the grid. For many sizes all programs and lanes are enumerated here in Python. Exits 1 when something proved is false, or a
counterexample is none.
"""

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = 8

FILE = """import torch, triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, out_ptr, {parameters}, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + {load}, mask={load_mask}, other=0.0)
    tl.store(out_ptr + {store}, v, mask={store_mask})

def wrapper(x):
{wrapper}
"""

FLAT = """    n = x.numel()
    out = torch.empty_like(x)
    kernel[({grid},)](x, out, n, BLOCK=8)
    return out"""

ROWS = """    m, n = x.shape
    out = torch.empty((m, n))
    kernel[({grid},)](x, out, m, n, x.stride(0), out.stride(0), BLOCK=8)
    return out"""


IN_PLACE = {"    out = torch.empty_like(x)\n": "    out = x\n", "    out = torch.empty((m, n))\n": "    out = x\n"}


def make(rng):
    flat = rng.random() < 0.5
    if flat:
        places = ["pid * BLOCK + lane", "pid * BLOCK + lane + 1", "lane", "pid * 4 + lane", "n - 1 - (pid * BLOCK + lane)", "pid + lane * 2"]
        masks = ["pid * BLOCK + lane < n", "pid * BLOCK + lane < n - 1", "lane < n", "lane < BLOCK", "pid * BLOCK + lane <= n", "pid * 4 + lane < n"]
        grids = ["triton.cdiv(n, 8)", "n // 8", "triton.cdiv(n, 4)", "triton.cdiv(n, 8) + 1", "n"]
        names, wrapper = "n", FLAT
    else:
        places = ["pid * {s} + lane", "lane * {s} + pid", "pid * n + lane", "pid * {s} + lane + 1", "(pid + 1) * {s} + lane"]
        masks = ["lane < n", "lane < m", "lane < n - 1", "lane <= n", "lane < BLOCK", "(lane < n) & (pid < m - 1)"]
        grids = ["m", "n", "m - 1", "m + 1"]
        names, wrapper = "m, n, sx, so", ROWS
    pick = {
        "load": rng.choice(places).format(s="sx"),
        "store": rng.choice(places).format(s="so"),
        "load_mask": rng.choice(masks),
        "store_mask": rng.choice(masks),
        "grid": rng.choice(grids),
    }
    in_place = rng.random() < 0.25
    for line, other in IN_PLACE.items() if in_place else ():
        wrapper = wrapper.replace(line, other)
    text = FILE.format(parameters=names, wrapper=wrapper.format(grid=pick["grid"]), **{k: v for k, v in pick.items() if k != "grid"})
    return text, pick, flat, in_place


class Lanes:
    """`triton.cdiv` for the grid."""

    @staticmethod
    def cdiv(a, b):
        return -(-a // b)


def launches(flat, in_place):
    if flat:
        for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 25]:
            yield {"n": n}, n, n
    else:
        # What is stored to has no two elements at one place.
        holes = [0, 1, 3] if in_place else [None, 0, 1, 3]
        for m, n, hole in itertools.product([0, 1, 2, 3, 5, 8, 9], [0, 1, 2, 3, 5, 8, 9], holes):
            stride = 0 if hole is None else n + hole  # a row that is expanded, dense rows, rows of something wider
            extent = (m - 1) * stride + n if m and n else 0
            yield {"m": m, "n": n, "sx": stride, "so": stride if in_place else n}, extent, extent if in_place else m * n


def enumerate_kernel(pick, flat, in_place):
    """Whether loads and stores stay inside and lie apart from what other programs store to, at all launches tried."""
    inside = {"load": True, "store": True}
    apart = {"load": True, "store": True}
    code = {key: compile(text, key, "eval") for key, text in pick.items()}
    for names, x_extent, out_extent in launches(flat, in_place):
        for_grid = {**names, "triton": Lanes}
        writers, readers = {}, {}
        for pid in range(max(0, eval(code["grid"], for_grid))):
            for lane in range(BLOCK):
                values = {**names, "pid": pid, "lane": lane, "BLOCK": BLOCK}
                if eval(code["load_mask"], values):
                    place = eval(code["load"], values)
                    inside["load"] &= 0 <= place < x_extent
                    readers.setdefault(place, set()).add(pid)
                if eval(code["store_mask"], values):
                    place = eval(code["store"], values)
                    inside["store"] &= 0 <= place < out_extent
                    writers.setdefault(place, set()).add(pid)
        apart["store"] &= all(len(pids) == 1 for pids in writers.values())
        apart["load"] &= not in_place or all(len(pids | readers.get(place, pids)) == 1 for place, pids in writers.items())
    return inside, apart


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nereid", default=str(ROOT / "build" / "release" / "nereid"))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    made = [make(rng) for _ in range(options.count)]
    verdicts = {"proved": 0, "counterexample": 0, "unknown": 0}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, (text, *_) in enumerate(made):
            (Path(folder) / f"k{index}.py").write_text(text)
        for index, (text, pick, flat, in_place) in enumerate(made):
            run = subprocess.run([options.nereid, "audit", f"{folder}/k{index}.py", "--json"], capture_output=True, text=True)
            accesses = json.loads(run.stdout)["kernels"][0]["accesses"]
            inside, apart = enumerate_kernel(pick, flat, in_place)
            for access in accesses:
                verdicts[access["verdict"]] += 1
                holds = inside[access["operation"]] if access["property"] == "in bounds" else apart[access["operation"]]
                if access["verdict"] == "proved" and not holds:
                    wrong += 1
                    print(f"proved, and false: {access['operation']} {access['property']}\n{text}")
                if access["verdict"] == "counterexample" and holds:
                    print(f"a counterexample beyond the launches tried: {access['reason']}\n{text}")
    print(f"{options.count} kernels: " + ", ".join(f"{count} {name}" for name, count in verdicts.items()) + f"; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
