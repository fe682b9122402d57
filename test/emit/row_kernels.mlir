// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py argmax --case x=f32[3,65]
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py farthest --case x=f32[3,65]
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py tanh --case x=f16[3,65] --case x=f16[3,65]@(1,3) --strides

// Folds over a resident row that have a name or need a function; a library function; a bool output.
!f = tensor<1024xf32, #tile.dims<["BLOCK"]>>
!i = tensor<1024xi32, #tile.dims<["BLOCK"]>>
!m = tensor<1024xi1, #tile.dims<["BLOCK"]>>
!p = tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
!pb = tensor<1024x!tile.ptr<i1>, #tile.dims<["BLOCK"]>>
!ph = tensor<1024x!tile.ptr<f16>, #tile.dims<["BLOCK"]>>
!h = tensor<1024xf16, #tile.dims<["BLOCK"]>>

func.func @argmax_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<i64> {tile.name = "index_ptr"},
                         %n: i32 {tile.name = "N"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{}, 4, 3>]} {
  %row = tile.program_id 0 loc("row")
  %cols = tile.range 0 : !i loc("cols")
  %ns = tile.splat %n : i32 -> !i
  %mask = arith.cmpi slt, %cols, %ns : !i
  %off = arith.muli %row, %n : i32
  %xr = tile.addptr %x, %off : !tile.ptr<f32>, i32
  %xs = tile.splat %xr : !tile.ptr<f32> -> !p
  %xp = tile.addptr %xs, %cols : !p, !i
  %low = arith.constant dense<0xFF800000> : !f
  %v = tile.load %xp mask %mask : !m other %low : !f : !p -> !f
  %best:2 = tile.reduce 0(%v, %cols) {
  ^bb0(%a: f32, %ia: i32, %b: f32, %ib: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %ia, %ib : i32
    %tie = arith.andi %eq, %lt : i1
    %pick = arith.ori %gt, %tie : i1
    %rv = arith.select %pick, %a, %b : f32
    %ri = arith.select %pick, %ia, %ib : i32
    tile.yield %rv, %ri : f32, i32
  } : !f, !i -> f32, i32
  %wide = arith.extsi %best#1 : i32 to i64
  %yp = tile.addptr %y, %row : !tile.ptr<i64>, i32
  tile.store %yp, %wide : !tile.ptr<i64>, i64
  return
}

func.func @argmax(%x: !host.tensor<["M", "N"] x f32, ["N", 1]> {host.name = "x"}) -> !host.tensor<["M"] x i64, [1]>
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>]} {
  %n = host.size <"N">
  %y = host.empty -> !host.tensor<["M"] x i64, [1]>
  host.launch @argmax_kernel grid [#sym.expr<"M">] (%x, %y, %n) meta {BLOCK = #sym.expr<"next_power_of_2(N)">} :
    !host.tensor<["M", "N"] x f32, ["N", 1]>, !host.tensor<["M"] x i64, [1]>, i64
  return %y : !host.tensor<["M"] x i64, [1]>
}

// The number is wanted too, and the order is one that Triton has no name for.
func.func @farthest_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"},
                           %n: i32 {tile.name = "N"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{}, 4, 3>]} {
  %row = tile.program_id 0 loc("row")
  %cols = tile.range 0 : !i loc("cols")
  %ns = tile.splat %n : i32 -> !i
  %mask = arith.cmpi slt, %cols, %ns : !i
  %off = arith.muli %row, %n : i32
  %xr = tile.addptr %x, %off : !tile.ptr<f32>, i32
  %xs = tile.splat %xr : !tile.ptr<f32> -> !p
  %xp = tile.addptr %xs, %cols : !p, !i
  %zero = arith.constant dense<0.0> : !f
  %v = tile.load %xp mask %mask : !m other %zero : !f : !p -> !f
  %best:2 = tile.reduce 0(%v, %cols) {
  ^bb0(%a: f32, %ia: i32, %b: f32, %ib: i32):
    %absa = math.absf %a : f32
    %absb = math.absf %b : f32
    %ge = arith.cmpf oge, %absa, %absb : f32
    %rv = arith.select %ge, %a, %b : f32
    %ri = arith.select %ge, %ia, %ib : i32
    tile.yield %rv, %ri : f32, i32
  } : !f, !i -> f32, i32
  %at = arith.sitofp %best#1 : i32 to f32
  %half = arith.constant 0.5 : f32
  %s = arith.mulf %at, %half : f32
  %sum = arith.addf %best#0, %s : f32
  %yp = tile.addptr %y, %row : !tile.ptr<f32>, i32
  tile.store %yp, %sum : !tile.ptr<f32>, f32
  return
}

func.func @farthest(%x: !host.tensor<["M", "N"] x f32, ["N", 1]> {host.name = "x"}) -> !host.tensor<["M"] x f32, [1]>
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>]} {
  %n = host.size <"N">
  %y = host.empty -> !host.tensor<["M"] x f32, [1]>
  host.launch @farthest_kernel grid [#sym.expr<"M">] (%x, %y, %n) meta {BLOCK = #sym.expr<"next_power_of_2(N)">} :
    !host.tensor<["M", "N"] x f32, ["N", 1]>, !host.tensor<["M"] x f32, [1]>, i64
  return %y : !host.tensor<["M"] x f32, [1]>
}

func.func @tanh_kernel(%x: !tile.ptr<f16> {tile.name = "x_ptr"}, %y: !tile.ptr<f16> {tile.name = "y_ptr"},
                       %z: !tile.ptr<i1> {tile.name = "positive_ptr"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{BLOCK = 1024 : i64}, 4, 3>]} {
  %pid = tile.program_id 0
  %b = tile.meta "BLOCK" = 1024 : i32
  %base = arith.muli %pid, %b : i32
  %bases = tile.splat %base : i32 -> !i
  %r = tile.range 0 : !i
  %i = arith.addi %bases, %r : !i
  %ns = tile.splat %n : i32 -> !i
  %mask = arith.cmpi slt, %i, %ns : !i
  %xs = tile.splat %x : !tile.ptr<f16> -> !ph
  %xp = tile.addptr %xs, %i : !ph, !i
  %zero = arith.constant dense<0.0> : !h
  %xh = tile.load %xp mask %mask : !m other %zero : !h : !ph -> !h
  %v = arith.extf %xh : !h to !f loc("x")
  %t = math.tanh %v : !f
  %th = arith.truncf %t : !f to !h
  %ys = tile.splat %y : !tile.ptr<f16> -> !ph
  %yp = tile.addptr %ys, %i : !ph, !i
  tile.store %yp, %th mask %mask : !m : !ph, !h
  %zf = arith.constant dense<0.0> : !f
  %pos = arith.cmpf ogt, %v, %zf : !f
  %zs = tile.splat %z : !tile.ptr<i1> -> !pb
  %zp = tile.addptr %zs, %i : !pb, !i
  tile.store %zp, %pos mask %mask : !m : !pb, !m
  return
}

// The strides of the results are those that PyTorch's pointwise operators give.
func.func @tanh(%x: !host.tensor<["M", "N"] x f16, ["x_s0", "x_s1"]> {host.name = "x"})
    -> (!host.tensor<["M", "N"] x f16, ["y_s0", "y_s1"]>, !host.tensor<["M", "N"] x i1, ["z_s0", "z_s1"]>)
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>,
      #host.symbol<"x_s0", stride, 0, 0>, #host.symbol<"x_s1", stride, 0, 1>]} {
  host.check <"x_s1 == 1 and x_s0 == N or x_s0 == 1 and x_s1 == M">, "x: must be dense"
  %n = host.size <"M*N">
  %y = host.empty like %x : !host.tensor<["M", "N"] x f16, ["x_s0", "x_s1"]> -> !host.tensor<["M", "N"] x f16, ["y_s0", "y_s1"]> loc("y")
  %z = host.empty like %x : !host.tensor<["M", "N"] x f16, ["x_s0", "x_s1"]> -> !host.tensor<["M", "N"] x i1, ["z_s0", "z_s1"]> loc("positive")
  host.launch @tanh_kernel grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%x, %y, %z, %n) meta {} :
    !host.tensor<["M", "N"] x f16, ["x_s0", "x_s1"]>, !host.tensor<["M", "N"] x f16, ["y_s0", "y_s1"]>, !host.tensor<["M", "N"] x i1, ["z_s0", "z_s1"]>, i64
  return %y, %z : !host.tensor<["M", "N"] x f16, ["y_s0", "y_s1"]>, !host.tensor<["M", "N"] x i1, ["z_s0", "z_s1"]>
}

// CHECK-LABEL: def _combine(a0, a1, b0, b1):
// CHECK-NEXT:    """One step of a fold."""
// CHECK-NEXT:    condition = tl.abs(a0) >= tl.abs(b0)
// CHECK-NEXT:    return tl.where(condition, a0, b0), tl.where(condition, a1, b1)
// CHECK:     index = tl.argmax(x, axis=0)
// CHECK:     value, index = tl.reduce((x, cols), 0, _combine)
// CHECK:     libdevice.tanh(x).to(tl.float16)
// CHECK:     positive = torch.empty_like(x, dtype=torch.bool)
