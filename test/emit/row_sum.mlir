// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py row_sum --case x=f32[3,64] --case x=f32[3,1000] --case x=f32[3,1] --pattern normal --pattern special

// A loop with two carried tiles, folded after it; autotuned over two configurations.
!tile = tensor<4x512xf32, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!itile = tensor<4x512xi32, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!mtile = tensor<4x512xi1, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!ptile = tensor<4x512x!tile.ptr<f32>, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!col = tensor<512xi32, #tile.dims<["BLOCK_N"]>>
!row = tensor<4xi32, #tile.dims<["BLOCK_M"]>>
!row1 = tensor<4x1xi32, #tile.dims<["BLOCK_M", ""]>>
!col1 = tensor<1x512xi32, #tile.dims<["", "BLOCK_N"]>>
!rowf = tensor<4xf32, #tile.dims<["BLOCK_M"]>>
!rowm = tensor<4xi1, #tile.dims<["BLOCK_M"]>>
!rowm1 = tensor<4x1xi1, #tile.dims<["BLOCK_M", ""]>>
!colm1 = tensor<1x512xi1, #tile.dims<["", "BLOCK_N"]>>
!rowp = tensor<4x!tile.ptr<f32>, #tile.dims<["BLOCK_M"]>>

func.func @row_sum_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<f32> {tile.name = "sum_ptr"},
                          %z: !tile.ptr<f32> {tile.name = "square_ptr"},
                          %m: i32 {tile.name = "M"}, %n: i32 {tile.name = "N"})
    attributes {tile.kernel, tile.meta = ["BLOCK_M", "BLOCK_N"], tile.doc = "Sums of rows and of their squares.",
                tile.configs = [#tile.config<{BLOCK_M = 4 : i64, BLOCK_N = 512 : i64}, 4, 3>,
                                #tile.config<{BLOCK_M = 1 : i64, BLOCK_N = 2048 : i64}, 8, 2>]} {
  %pid = tile.program_id 0
  %bm = tile.meta "BLOCK_M" = 4 : i32
  %bn = tile.meta "BLOCK_N" = 512 : i32
  %base = arith.muli %pid, %bm : i32
  %bases = tile.splat %base : i32 -> !row
  %rm = tile.range 0 : !row
  %rows = arith.addi %bases, %rm : !row loc("rows")
  %ms = tile.splat %m : i32 -> !row
  %row_mask = arith.cmpi slt, %rows, %ms : !row loc("row_mask")
  %zero = arith.constant dense<0.0> : !tile
  %c0 = arith.constant 0 : i32
  %acc:2 = scf.for %k = %c0 to %n step %bn iter_args(%sum = %zero, %sq = %zero) -> (!tile, !tile) : i32 {
    %ks = tile.splat %k : i32 -> !col
    %rn = tile.range 0 : !col
    %cols = arith.addi %ks, %rn : !col loc("cols")
    %ns = tile.splat %n : i32 -> !col
    %col_mask = arith.cmpi slt, %cols, %ns : !col
    %rows1 = tile.expand_dims %rows 1 : !row -> !row1
    %cols1 = tile.expand_dims %cols 0 : !col -> !col1
    %nrow = tile.splat %n : i32 -> !row1
    %ro = arith.muli %rows1, %nrow : !row1
    %rob = tile.broadcast %ro : !row1 -> !itile
    %cob = tile.broadcast %cols1 : !col1 -> !itile
    %off = arith.addi %rob, %cob : !itile
    %xs = tile.splat %x : !tile.ptr<f32> -> !ptile
    %p = tile.addptr %xs, %off : !ptile, !itile
    %rm1 = tile.expand_dims %row_mask 1 : !rowm -> !rowm1
    %cm1 = tile.expand_dims %col_mask 0 : tensor<512xi1, #tile.dims<["BLOCK_N"]>> -> !colm1
    %rmb = tile.broadcast %rm1 : !rowm1 -> !mtile
    %cmb = tile.broadcast %cm1 : !colm1 -> !mtile
    %mask = arith.andi %rmb, %cmb : !mtile
    %v = tile.load %p mask %mask : !mtile other %zero : !tile : !ptile -> !tile
    %s1 = arith.addf %sum, %v : !tile
    %vv = arith.mulf %v, %v : !tile
    %s2 = arith.addf %sq, %vv : !tile
    scf.yield %s1, %s2 : !tile, !tile
  }
  %t1 = tile.reduce 1(%acc#0) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : !tile -> !rowf
  %t2 = tile.reduce 1(%acc#1) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : !tile -> !rowf
  %ys = tile.splat %y : !tile.ptr<f32> -> !rowp
  %yp = tile.addptr %ys, %rows : !rowp, !row
  tile.store %yp, %t1 mask %row_mask : !rowm : !rowp, !rowf
  %zs = tile.splat %z : !tile.ptr<f32> -> !rowp
  %zp = tile.addptr %zs, %rows : !rowp, !row
  tile.store %zp, %t2 mask %row_mask : !rowm : !rowp, !rowf
  return
}

func.func @row_sum(%x: !host.tensor<["M", "N"] x f32, ["x_s0", "x_s1"]> {host.name = "x"})
    -> (!host.tensor<["M"] x f32, [1]>, !host.tensor<["M"] x f32, [1]>)
    attributes {host.program,
                host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>,
                                #host.symbol<"x_s0", stride, 0, 0>, #host.symbol<"x_s1", stride, 0, 1>]} {
  %m = host.size <"M">
  %n = host.size <"N">
  %xc = host.contiguous %x : !host.tensor<["M", "N"] x f32, ["x_s0", "x_s1"]> -> !host.tensor<["M", "N"] x f32, ["N", 1]>
  %y = host.empty -> !host.tensor<["M"] x f32, [1]> loc("total")
  %z = host.empty -> !host.tensor<["M"] x f32, [1]> loc("square")
  host.launch @row_sum_kernel grid [#sym.expr<"cdiv(M, BLOCK_M)">] (%xc, %y, %z, %m, %n) meta {} :
    !host.tensor<["M", "N"] x f32, ["N", 1]>, !host.tensor<["M"] x f32, [1]>, !host.tensor<["M"] x f32, [1]>, i64, i64
  return %y, %z : !host.tensor<["M"] x f32, [1]>, !host.tensor<["M"] x f32, [1]>
}

// CHECK:      triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=w, num_stages=s)
// CHECK-LABEL: def row_sum_kernel(
// CHECK:         for start in range(0, N, BLOCK_N):
// CHECK-NEXT:        cols = start + tl.arange(0, BLOCK_N)
// CHECK:             acc += x
// CHECK-NEXT:        acc_1 += x * x
// CHECK-LABEL: def _row_sum(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
// CHECK:         row_sum_kernel[_blocks(M, "BLOCK_M")](x, total, square, M, N)
