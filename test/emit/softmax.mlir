// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py softmax --case x=f32[3,64] --case x=f32[3,1000] --case x=f32[2,1] --pattern normal --pattern special --pattern large --strides

// A resident row: two folds and the output in one kernel, one of them a max that keeps NaN.
!row = tensor<1024xf32, #tile.dims<["BLOCK_N"]>>
!index = tensor<1024xi32, #tile.dims<["BLOCK_N"]>>
!mask = tensor<1024xi1, #tile.dims<["BLOCK_N"]>>
!ptrs = tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK_N"]>>

func.func @softmax_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"},
                          %n: i32 {tile.name = "N"}, %xs: i32 {tile.name = "x_stride"},
                          %ys: i32 {tile.name = "y_stride"})
    attributes {tile.kernel, tile.meta = ["BLOCK_N"], tile.doc = "Softmax of one row per program.",
                tile.configs = [#tile.config<{}, 4, 3>]} {
  %pid = tile.program_id 0
  %row = arith.extsi %pid : i32 to i64 loc("row")
  %cols = tile.range 0 : !index loc("cols")
  %ns = tile.splat %n : i32 -> !index
  %mask = arith.cmpi slt, %cols, %ns : !index loc("mask")
  %xs64 = arith.extsi %xs : i32 to i64
  %xo = arith.muli %row, %xs64 : i64
  %xrow = tile.addptr %x, %xo : !tile.ptr<f32>, i64
  %xrows = tile.splat %xrow : !tile.ptr<f32> -> !ptrs
  %xp = tile.addptr %xrows, %cols : !ptrs, !index
  %low = arith.constant dense<0xFF800000> : !row
  %xv = tile.load %xp mask %mask : !mask other %low : !row : !ptrs -> !row loc("x")
  %max = tile.reduce 0(%xv) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  } : !row -> f32 loc("row_max")
  %maxes = tile.splat %max : f32 -> !row
  %centred = arith.subf %xv, %maxes : !row
  %exp = math.exp %centred : !row loc("numerator")
  %sum = tile.reduce 0(%exp) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : !row -> f32
  %sums = tile.splat %sum : f32 -> !row
  %out = arith.divf %exp, %sums : !row
  %ys64 = arith.extsi %ys : i32 to i64
  %yo = arith.muli %row, %ys64 : i64
  %yrow = tile.addptr %y, %yo : !tile.ptr<f32>, i64
  %yrows = tile.splat %yrow : !tile.ptr<f32> -> !ptrs
  %yp = tile.addptr %yrows, %cols : !ptrs, !index
  tile.store %yp, %out mask %mask : !mask : !ptrs, !row
  return
}

func.func @softmax(%x: !host.tensor<["M", "N"] x f32, ["x_s0", "x_s1"]> {host.name = "x"})
    -> !host.tensor<["M", "N"] x f32, ["N", 1]>
    attributes {host.program, host.doc = "Softmax over the last dimension.",
                host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>,
                                #host.symbol<"x_s0", stride, 0, 0>, #host.symbol<"x_s1", stride, 0, 1>]} {
  host.check <"N >= 1">, "x: softmax needs at least one column"
  host.check <"x_s1 == 1">, "x: the last dimension must be dense"
  %n = host.size <"N">
  %xs = host.size <"x_s0">
  %y = host.empty -> !host.tensor<["M", "N"] x f32, ["N", 1]> loc("y")
  host.launch @softmax_kernel grid [#sym.expr<"M">] (%x, %y, %n, %xs, %n)
    meta {BLOCK_N = #sym.expr<"next_power_of_2(N)">} :
    !host.tensor<["M", "N"] x f32, ["x_s0", "x_s1"]>, !host.tensor<["M", "N"] x f32, ["N", 1]>, i64, i64, i64
  return %y : !host.tensor<["M", "N"] x f32, ["N", 1]>
}

// CHECK-LABEL: def _max_nan(a, b):
// CHECK-NEXT:    """One step of a fold that NaN gets through."""
// CHECK-NEXT:    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK-LABEL: def softmax_kernel(
// CHECK:         row = tl.program_id(0).to(tl.int64)
// CHECK-NEXT:    cols = tl.arange(0, BLOCK_N)
// CHECK-NEXT:    mask = cols < N
// CHECK-NEXT:    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"))
// CHECK-NEXT:    row_max = tl.reduce(x, 0, _max_nan)
// CHECK-NEXT:    numerator = tl.exp(x - row_max)
