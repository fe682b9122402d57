// RUN: nereid-emit %s | FileCheck %s

// What is only read to be converted has one statement and one name. A conversion behind the call that
// does not fit leaves that call's brackets open, as ruff's format has it.
!h = tensor<256xf16, #tile.dims<["BLOCK"]>>
!f = tensor<256xf32, #tile.dims<["BLOCK"]>>
!i = tensor<256xi32, #tile.dims<["BLOCK"]>>
!m = tensor<256xi1, #tile.dims<["BLOCK"]>>
!p = tensor<256x!tile.ptr<f16>, #tile.dims<["BLOCK"]>>
!q = tensor<256x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>

// CHECK-LABEL: def converted_kernel
// CHECK:         x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
// CHECK-NEXT:    a_weight_with_a_long_name = tl.load(
// CHECK-NEXT:        a_weight_with_a_long_name_ptr + cols, mask=mask, other=0.0
// CHECK-NEXT:    ).to(tl.float32)
// CHECK-NEXT:    tl.store(out_ptr + cols, x * x * a_weight_with_a_long_name, mask=mask)
func.func @converted_kernel(%x: !tile.ptr<f16> {tile.name = "x_ptr"},
                            %w: !tile.ptr<f16> {tile.name = "a_weight_with_a_long_name_ptr"},
                            %out: !tile.ptr<f32> {tile.name = "out_ptr"}, %n: i32 {tile.name = "N"})
    attributes {tile.kernel, tile.meta = ["BLOCK"]} {
  %cols = tile.range 0 : !i loc("cols")
  %ns = tile.splat %n : i32 -> !i
  %mask = arith.cmpi slt, %cols, %ns : !i loc("mask")
  %zero = arith.constant dense<0.0> : !h
  %xb = tile.splat %x : !tile.ptr<f16> -> !p
  %xp = tile.addptr %xb, %cols : !p, !i
  %xh = tile.load %xp mask %mask : !m other %zero : !h : !p -> !h loc("x")
  %wb = tile.splat %w : !tile.ptr<f16> -> !p
  %wp = tile.addptr %wb, %cols : !p, !i
  %wh = tile.load %wp mask %mask : !m other %zero : !h : !p -> !h loc("a_weight_with_a_long_name")
  %xf = arith.extf %xh : !h to !f
  %wf = arith.extf %wh : !h to !f
  %square = arith.mulf %xf, %xf : !f
  %product = arith.mulf %square, %wf : !f
  %ob = tile.splat %out : !tile.ptr<f32> -> !q
  %op = tile.addptr %ob, %cols : !q, !i
  tile.store %op, %product mask %mask : !m : !q, !f
  return
}
