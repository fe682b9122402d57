// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py

// A widening is not written where Triton makes it: beside an operand of 64 bits. Of two that are added one stays;
// products with an argument, which a call may pass in 32 bits, keep theirs.
!row = tensor<4xi32, #tile.dims<["BLOCK_M"]>>
!col = tensor<64xi32, #tile.dims<["BLOCK_N"]>>
!wrow = tensor<4xi64, #tile.dims<["BLOCK_M"]>>
!wcol = tensor<64xi64, #tile.dims<["BLOCK_N"]>>
!wrow1 = tensor<4x1xi64, #tile.dims<["BLOCK_M", ""]>>
!wcol1 = tensor<1x64xi64, #tile.dims<["", "BLOCK_N"]>>
!tile = tensor<4x64xi64, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!p = tensor<4x64x!tile.ptr<f32>, #tile.dims<["BLOCK_M", "BLOCK_N"]>>

func.func @kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"},
                  %s: i64 {tile.name = "stride"}) attributes {tile.kernel, tile.meta = ["BLOCK_M", "BLOCK_N"]} {
  %rows = tile.range 0 : !row loc("rows")
  %cols = tile.range 0 : !col loc("cols")
  %wide_rows = arith.extsi %rows : !row to !wrow
  %wide_cols = arith.extsi %cols : !col to !wcol
  %n = arith.constant dense<64> : !wrow
  %first = arith.muli %wide_rows, %n : !wrow
  %first1 = tile.expand_dims %first 1 : !wrow -> !wrow1
  %cols1 = tile.expand_dims %wide_cols 0 : !wcol -> !wcol1
  %firsts = tile.broadcast %first1 : !wrow1 -> !tile
  %colss = tile.broadcast %cols1 : !wcol1 -> !tile
  %offsets = arith.addi %firsts, %colss : !tile
  %xs = tile.splat %x : !tile.ptr<f32> -> !p
  %xp = tile.addptr %xs, %offsets : !p, !tile
  %v = tile.load %xp : !p -> tensor<4x64xf32, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
  // CHECK: x_rows = rows_64 * 64
  // CHECK-NEXT: x = tl.load(x_ptr + (x_rows[:, None] + cols[None, :]))

  %strides = tile.splat %s : i64 -> !wrow
  %second = arith.muli %wide_rows, %strides : !wrow
  %lone = arith.extsi %cols : !col to !wcol loc("places")
  %second1 = tile.expand_dims %second 1 : !wrow -> !wrow1
  %lone1 = tile.expand_dims %lone 0 : !wcol -> !wcol1
  %seconds = tile.broadcast %second1 : !wrow1 -> !tile
  %lones = tile.broadcast %lone1 : !wcol1 -> !tile
  %others = arith.addi %seconds, %lones : !tile
  %ys = tile.splat %y : !tile.ptr<f32> -> !p
  %yp = tile.addptr %ys, %others : !p, !tile
  tile.store %yp, %v : !p, tensor<4x64xf32, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
  // What the user named is written.
  // CHECK: places = cols.to(tl.int64)
  // CHECK: y_rows[:, None] + places[None, :]
  return
}

// CHECK-LABEL: def sum_kernel
func.func @sum_kernel(%x: !tile.ptr<i64> {tile.name = "x_ptr"}) attributes {tile.kernel, tile.meta = ["BLOCK_N"]} {
  %a = tile.range 0 : !col loc("a")
  %b = tile.range 0 : !col loc("b")
  %wide_a = arith.extsi %a : !col to !wcol
  %wide_b = arith.extsi %b : !col to !wcol
  %sum = arith.addi %wide_a, %wide_b : !wcol
  %xs = tile.splat %x : !tile.ptr<i64> -> tensor<64x!tile.ptr<i64>, #tile.dims<["BLOCK_N"]>>
  %xp = tile.addptr %xs, %a : tensor<64x!tile.ptr<i64>, #tile.dims<["BLOCK_N"]>>, !col
  // CHECK: tl.store(x_ptr + a, a + b.to(tl.int64))
  tile.store %xp, %sum : tensor<64x!tile.ptr<i64>, #tile.dims<["BLOCK_N"]>>, !wcol
  return
}
