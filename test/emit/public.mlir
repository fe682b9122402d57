// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %S/public.py %t.py

// What callers see has the original's parameters and structure of results, and refuses other values than conversion
// relied on. A program that writes to an argument says so to PyTorch.
func.func @copy_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"},
                       %n: i32 {tile.name = "n"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  %pid = tile.program_id 0
  %block = tile.meta "BLOCK" = 64 : i32
  %start = arith.muli %pid, %block : i32
  %starts = tile.splat %start : i32 -> tensor<64xi32, #tile.dims<["BLOCK"]>>
  %range = tile.range 0 : tensor<64xi32, #tile.dims<["BLOCK"]>>
  %at = arith.addi %starts, %range : tensor<64xi32, #tile.dims<["BLOCK"]>> loc("offsets")
  %ns = tile.splat %n : i32 -> tensor<64xi32, #tile.dims<["BLOCK"]>>
  %mask = arith.cmpi slt, %at, %ns : tensor<64xi32, #tile.dims<["BLOCK"]>> loc("mask")
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %xp = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<64xi32, #tile.dims<["BLOCK"]>>
  %v = tile.load %xp mask %mask : tensor<64xi1, #tile.dims<["BLOCK"]>> : tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>> -> tensor<64xf32, #tile.dims<["BLOCK"]>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %yp = tile.addptr %ys, %at : tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<64xi32, #tile.dims<["BLOCK"]>>
  tile.store %yp, %v mask %mask : tensor<64xi1, #tile.dims<["BLOCK"]>> : tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<64xf32, #tile.dims<["BLOCK"]>>
  return
}

// CHECK-LABEL: def _swap(xs_0_: torch.Tensor, xs_1_: torch.Tensor) -> torch.Tensor:
// CHECK: @_register("swap_{{.*}}", _swap, mutates=("xs_1_",))
// CHECK-LABEL: def swap(xs, /, scale=1.0, *, mode="copy", **rest):
// CHECK: _check_known("len(xs)", len(xs), 2)
// CHECK: _check_known("scale", scale, 1.0)
// CHECK: _check_known("mode", mode, "copy")
// CHECK: _check_known("rest", rest, {})
// CHECK: out = _call(_swap, _swap_op, xs[0], xs[1])
// CHECK: return {"first": out, "others": ["none", (2,)]}
func.func @swap(%a: !host.tensor<[N] x f32, [1]> {host.name = "xs[0]"},
                %b: !host.tensor<[N] x f32, [1]> {host.name = "xs[1]"}) -> !host.tensor<[N] x f32, [1]>
    attributes {host.program, host.symbols = [#host.symbol<"N", size, 0, 0>],
                host.signature = ["xs", "/", "scale=1.0", "*", "mode='copy'", "**rest"],
                host.known = [["len(xs)", "2"], ["scale", "1.0"], ["mode", "'copy'"], ["rest", "{}"]],
                host.result = "{{'first': {0}, 'others': ['none', (2,)]}}"} {
  %out = host.empty -> !host.tensor<[N] x f32, [1]>
  %n = host.size <N>
  host.launch @copy_kernel grid [#sym.expr<"cdiv(N, BLOCK)">] (%b, %out, %n) meta {} : !host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>, i64
  host.assign %b, %a : !host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>
  return %out : !host.tensor<[N] x f32, [1]>
}
