# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the function of public.mlir directly, under torch.compile, exported and with gradients.

public.py EMITTED.py
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "outside"))

import loading
import torch
import upstream  # noqa: F401  (before triton)
from expectations import check, raises


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function([x, y])["first"] + 1


def main():
    emitted = loading.load(sys.argv[1])
    x, y = torch.randn(100), torch.randn(100)
    kept = y.clone()
    result = emitted.swap([x, y])
    check(result.keys() == {"first", "others"}, "the structure of the results")
    check(result["others"] == ["none", (2,)], "the constants of the results")
    check(torch.equal(result["first"], kept) and torch.equal(y, x), "the direct call")

    raises(ValueError, "scale: the kernels are made", lambda: emitted.swap([x, y], 2.0))
    raises(ValueError, "len(xs)", lambda: emitted.swap([x, y, x]))
    raises(ValueError, "scale: the kernels are made", lambda: emitted.swap([x, y], 1))
    raises(ValueError, "mode", lambda: emitted.swap([x, y], mode=x))
    raises(TypeError, "dimensions", lambda: emitted.swap([x, y.view(10, 10)]))
    raises(ValueError, "xs_1_: expected sizes (100), found (7,)", lambda: emitted.swap([x, y[:7]]))

    module = Module(emitted.swap)
    for backend in ("eager", "aot_eager"):
        y = kept.clone()
        run = torch.compile(module, backend=backend, fullgraph=True)
        check(torch.equal(run(x, y), kept + 1), f"torch.compile by {backend}")
        check(torch.equal(y, x), f"the mutated input under torch.compile by {backend}")
    size = {0: torch.export.Dim("n")}
    y = kept.clone()
    exported = torch.export.export(module, (x, y.clone()), dynamic_shapes=(size, size)).module()
    check(torch.equal(exported(x[:33], y[:33]), kept[:33] + 1), "torch.export")
    torch.library.opcheck(emitted._swap_op, (x, y), test_utils=("test_schema", "test_faketensor"))

    out = emitted.swap([x.clone().requires_grad_(), kept.clone()])["first"]
    check(out.requires_grad, "a wanted gradient is not forgotten")
    raises(RuntimeError, "backward", lambda: out.sum().backward())


if __name__ == "__main__":
    main()
