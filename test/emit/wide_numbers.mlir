// RUN: nereid-emit %s | FileCheck %s

// Triton takes a number that is written for a float32 before it meets an element of a float64 in memory.
!f = tensor<256xf64, #tile.dims<["BLOCK"]>>
!i = tensor<256xi32, #tile.dims<["BLOCK"]>>
!m = tensor<256xi1, #tile.dims<["BLOCK"]>>
!p = tensor<256x!tile.ptr<f64>, #tile.dims<["BLOCK"]>>

// CHECK-LABEL: def wide_kernel
// CHECK:         x = tl.load(x_ptrs, mask=mask, other=tl.full((), 0.1, tl.float64))
// CHECK-NEXT:    tl.store(x_ptrs, x + 0.3, mask=mask)
// CHECK:         tl.store(out_ptr + cols, tl.full((), -0.7, tl.float64), mask=mask)
func.func @wide_kernel(%x: !tile.ptr<f64> {tile.name = "x_ptr"},
                       %out: !tile.ptr<f64> {tile.name = "out_ptr"}, %n: i32 {tile.name = "N"})
    attributes {tile.kernel, tile.meta = ["BLOCK"]} {
  %cols = tile.range 0 : !i loc("cols")
  %ns = tile.splat %n : i32 -> !i
  %mask = arith.cmpi slt, %cols, %ns : !i loc("mask")
  %tenth = arith.constant dense<0.1> : !f
  %more = arith.constant dense<0.3> : !f
  %less = arith.constant dense<-0.7> : !f
  %xb = tile.splat %x : !tile.ptr<f64> -> !p
  %xp = tile.addptr %xb, %cols : !p, !i
  %xs = tile.load %xp mask %mask : !m other %tenth : !f : !p -> !f loc("x")
  %sum = arith.addf %xs, %more : !f
  tile.store %xp, %sum mask %mask : !m : !p, !f
  %ob = tile.splat %out : !tile.ptr<f64> -> !p
  %op = tile.addptr %ob, %cols : !p, !i
  tile.store %op, %less mask %mask : !m : !p, !f
  return
}
