// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py outer_sum --strides --case x=f32[2,3,4],y=f32[3,4] --case x=f32[2,3,4]@(1,8,2),y=f32[3,4] --case x=f32[2,3,4]@(12,1,3),y=f32[3,4]@(1,3) --case x=f32[2,3,4]@(24,8,2),y=f32[3,4]@(0,1) --case x=f32[1,3,4]@(1,4,1),y=f32[3,4]@(1,3) --case x=f32[2,1,1],y=f32[1,1]

// Several inputs of different shapes: the result is dense in the order of their strides.
!i = tensor<64xi32, #tile.dims<["BLOCK"]>>
!f = tensor<64xf32, #tile.dims<["BLOCK"]>>
!m = tensor<64xi1, #tile.dims<["BLOCK"]>>
!p = tensor<64x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>

func.func @outer_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"},
                        %out: !tile.ptr<f32> {tile.name = "out_ptr"}, %b: i32 {tile.name = "B"}, %c: i32 {tile.name = "C"},
                        %x0: i32 {tile.name = "x_s0"}, %x1: i32 {tile.name = "x_s1"}, %x2: i32 {tile.name = "x_s2"},
                        %y0: i32 {tile.name = "y_s0"}, %y1: i32 {tile.name = "y_s1"},
                        %o0: i32 {tile.name = "out_s0"}, %o1: i32 {tile.name = "out_s1"}, %o2: i32 {tile.name = "out_s2"})
    attributes {tile.kernel, tile.meta = ["BLOCK"]} {
  %a = tile.program_id 0 loc("a")
  %bi = tile.program_id 1 loc("b")
  %r = tile.range 0 : !i loc("c")
  %cs = tile.splat %c : i32 -> !i
  %mask = arith.cmpi slt, %r, %cs : !i
  %xa = arith.muli %a, %x0 : i32
  %xb = arith.muli %bi, %x1 : i32
  %xab = arith.addi %xa, %xb : i32
  %xr = tile.addptr %x, %xab : !tile.ptr<f32>, i32
  %xrs = tile.splat %xr : !tile.ptr<f32> -> !p
  %x2s = tile.splat %x2 : i32 -> !i
  %xc = arith.muli %r, %x2s : !i
  %xp = tile.addptr %xrs, %xc : !p, !i
  %xv = tile.load %xp mask %mask : !m : !p -> !f
  %yb = arith.muli %bi, %y0 : i32
  %yr = tile.addptr %y, %yb : !tile.ptr<f32>, i32
  %yrs = tile.splat %yr : !tile.ptr<f32> -> !p
  %y1s = tile.splat %y1 : i32 -> !i
  %yc = arith.muli %r, %y1s : !i
  %yp = tile.addptr %yrs, %yc : !p, !i
  %yv = tile.load %yp mask %mask : !m : !p -> !f
  %s = arith.addf %xv, %yv : !f
  %oa = arith.muli %a, %o0 : i32
  %ob = arith.muli %bi, %o1 : i32
  %oab = arith.addi %oa, %ob : i32
  %or = tile.addptr %out, %oab : !tile.ptr<f32>, i32
  %ors = tile.splat %or : !tile.ptr<f32> -> !p
  %o2s = tile.splat %o2 : i32 -> !i
  %oc = arith.muli %r, %o2s : !i
  %op = tile.addptr %ors, %oc : !p, !i
  tile.store %op, %s mask %mask : !m : !p, !f
  return
}

// CHECK: out = _empty_like((A, B, C), torch.float32, x, y)
// CHECK: outer_kernel[(A, B)](
// CHECK: *out.stride(),
// CHECK-NEXT: BLOCK=_next_power_of_2(C),
func.func @outer_sum(%x: !host.tensor<[A, B, C] x f32, [x0, x1, x2]> {host.name = "x"},
                     %y: !host.tensor<[B, C] x f32, [y0, y1]> {host.name = "y"}) -> !host.tensor<[A, B, C] x f32, [o0, o1, o2]>
    attributes {host.program, host.symbols = [#host.symbol<"A", size, 0, 0>, #host.symbol<"B", size, 0, 1>, #host.symbol<"C", size, 0, 2>,
      #host.symbol<"x0", stride, 0, 0>, #host.symbol<"x1", stride, 0, 1>, #host.symbol<"x2", stride, 0, 2>,
      #host.symbol<"y0", stride, 1, 0>, #host.symbol<"y1", stride, 1, 1>]} {
  %b = host.size <B>
  %c = host.size <C>
  %x0 = host.size <x0>
  %x1 = host.size <x1>
  %x2 = host.size <x2>
  %y0 = host.size <y0>
  %y1 = host.size <y1>
  %out = host.empty like %x, %y : !host.tensor<[A, B, C] x f32, [x0, x1, x2]>, !host.tensor<[B, C] x f32, [y0, y1]> -> !host.tensor<[A, B, C] x f32, [o0, o1, o2]>
  %o0 = host.size <o0>
  %o1 = host.size <o1>
  %o2 = host.size <o2>
  host.launch @outer_kernel grid [#sym.expr<A>, #sym.expr<B>] (%x, %y, %out, %b, %c, %x0, %x1, %x2, %y0, %y1, %o0, %o1, %o2)
    meta {BLOCK = #sym.expr<"next_power_of_2(C)">} :
    !host.tensor<[A, B, C] x f32, [x0, x1, x2]>, !host.tensor<[B, C] x f32, [y0, y1]>, !host.tensor<[A, B, C] x f32, [o0, o1, o2]>, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64
  return %out : !host.tensor<[A, B, C] x f32, [o0, o1, o2]>
}
