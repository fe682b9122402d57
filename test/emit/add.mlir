// RUN: nereid-emit %s --source examples/add.py --program add -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py add --case x=f32[1000],y=f32[1000] --case x=f32[0],y=f32[0] --case x=f32[50]@(3),y=f32[50] --pattern normal --pattern special

// A pointwise kernel: everything but the names of the user folds into expressions.
func.func @add_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"},
                      %out: !tile.ptr<f32> {tile.name = "out_ptr"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.doc = "Adds two vectors.",
                tile.configs = [#tile.config<{BLOCK = 1024 : i64}, 4, 3>]} {
  %pid = tile.program_id 0
  %b = tile.meta "BLOCK" = 1024 : i32
  %base = arith.muli %pid, %b : i32
  %bases = tile.splat %base : i32 -> tensor<1024xi32, #tile.dims<["BLOCK"]>>
  %r = tile.range 0 : tensor<1024xi32, #tile.dims<["BLOCK"]>>
  %i = arith.addi %bases, %r : tensor<1024xi32, #tile.dims<["BLOCK"]>> loc("offsets")
  %ns = tile.splat %n : i32 -> tensor<1024xi32, #tile.dims<["BLOCK"]>>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #tile.dims<["BLOCK"]>>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #tile.dims<["BLOCK"]>>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<1024xi32, #tile.dims<["BLOCK"]>>
  %xv = tile.load %xp mask %m : tensor<1024xi1, #tile.dims<["BLOCK"]>> other %zero : tensor<1024xf32, #tile.dims<["BLOCK"]>> : tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>> -> tensor<1024xf32, #tile.dims<["BLOCK"]>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<1024xi32, #tile.dims<["BLOCK"]>>
  %yv = tile.load %yp mask %m : tensor<1024xi1, #tile.dims<["BLOCK"]>> other %zero : tensor<1024xf32, #tile.dims<["BLOCK"]>> : tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>> -> tensor<1024xf32, #tile.dims<["BLOCK"]>>
  %s = arith.addf %xv, %yv : tensor<1024xf32, #tile.dims<["BLOCK"]>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>
  %op = tile.addptr %os, %i : tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<1024xi32, #tile.dims<["BLOCK"]>>
  tile.store %op, %s mask %m : tensor<1024xi1, #tile.dims<["BLOCK"]>> : tensor<1024x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>, tensor<1024xf32, #tile.dims<["BLOCK"]>>
  return
}

func.func @add(%x: !host.tensor<["n"] x f32, ["x_s0"]> {host.name = "x"},
               %y: !host.tensor<["n"] x f32, ["y_s0"]> {host.name = "y"}) -> !host.tensor<["n"] x f32, [1]>
    attributes {host.program, host.symbols = [#host.symbol<"n", size, 0, 0>, #host.symbol<"x_s0", stride, 0, 0>,
                                              #host.symbol<"y_s0", stride, 1, 0>]} {
  %xc = host.contiguous %x : !host.tensor<["n"] x f32, ["x_s0"]> -> !host.tensor<["n"] x f32, [1]> loc("x")
  %yc = host.contiguous %y : !host.tensor<["n"] x f32, ["y_s0"]> -> !host.tensor<["n"] x f32, [1]> loc("y")
  %n = host.size <"n">
  %out = host.empty -> !host.tensor<["n"] x f32, [1]>
  host.launch @add_kernel grid [#sym.expr<"cdiv(n, BLOCK)">] (%xc, %yc, %out, %n) meta {} : !host.tensor<["n"] x f32, [1]>, !host.tensor<["n"] x f32, [1]>, !host.tensor<["n"] x f32, [1]>, i64
  return %out : !host.tensor<["n"] x f32, [1]>
}

// CHECK-LABEL: def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
// CHECK-NEXT:    Adds two vectors.
// CHECK-NEXT:    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
// CHECK-NEXT:    mask = offsets < n
// CHECK-NEXT:    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
// CHECK-NEXT:    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
// CHECK-NEXT:    tl.store(out_ptr + offsets, x + y, mask=mask)
