// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py matmul --case a=f32[7,33],b=f32[33,40] --case a=f32[64,16],b=f32[16,64]

// A product: masks on both sides, an accumulator that the dot takes and gives.
!a = tensor<32x16xf32, #tile.dims<["BLOCK_M", "BLOCK_K"]>>
!b = tensor<16x32xf32, #tile.dims<["BLOCK_K", "BLOCK_N"]>>
!c = tensor<32x32xf32, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!am = tensor<32x16xi1, #tile.dims<["BLOCK_M", "BLOCK_K"]>>
!bm = tensor<16x32xi1, #tile.dims<["BLOCK_K", "BLOCK_N"]>>
!cm = tensor<32x32xi1, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!ai = tensor<32x16xi32, #tile.dims<["BLOCK_M", "BLOCK_K"]>>
!bi = tensor<16x32xi32, #tile.dims<["BLOCK_K", "BLOCK_N"]>>
!ci = tensor<32x32xi32, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!ap = tensor<32x16x!tile.ptr<f32>, #tile.dims<["BLOCK_M", "BLOCK_K"]>>
!bp = tensor<16x32x!tile.ptr<f32>, #tile.dims<["BLOCK_K", "BLOCK_N"]>>
!cp = tensor<32x32x!tile.ptr<f32>, #tile.dims<["BLOCK_M", "BLOCK_N"]>>
!mi = tensor<32xi32, #tile.dims<["BLOCK_M"]>>
!ni = tensor<32xi32, #tile.dims<["BLOCK_N"]>>
!ki = tensor<16xi32, #tile.dims<["BLOCK_K"]>>
!mi1 = tensor<32x1xi32, #tile.dims<["BLOCK_M", ""]>>
!ni1 = tensor<1x32xi32, #tile.dims<["", "BLOCK_N"]>>
!ki1 = tensor<1x16xi32, #tile.dims<["", "BLOCK_K"]>>
!ki2 = tensor<16x1xi32, #tile.dims<["BLOCK_K", ""]>>
!mm1 = tensor<32x1xi1, #tile.dims<["BLOCK_M", ""]>>
!nm1 = tensor<1x32xi1, #tile.dims<["", "BLOCK_N"]>>
!km1 = tensor<1x16xi1, #tile.dims<["", "BLOCK_K"]>>
!km2 = tensor<16x1xi1, #tile.dims<["BLOCK_K", ""]>>

func.func @matmul_kernel(%a: !tile.ptr<f32> {tile.name = "a_ptr"}, %b: !tile.ptr<f32> {tile.name = "b_ptr"},
                         %c: !tile.ptr<f32> {tile.name = "c_ptr"}, %M: i32 {tile.name = "M"},
                         %N: i32 {tile.name = "N"}, %K: i32 {tile.name = "K"})
    attributes {tile.kernel, tile.meta = ["BLOCK_M", "BLOCK_N", "BLOCK_K"],
                tile.configs = [#tile.config<{BLOCK_M = 32 : i64, BLOCK_N = 32 : i64, BLOCK_K = 16 : i64}, 4, 2>]} {
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %bm = tile.meta "BLOCK_M" = 32 : i32
  %bn = tile.meta "BLOCK_N" = 32 : i32
  %bk = tile.meta "BLOCK_K" = 16 : i32
  %m0 = arith.muli %pm, %bm : i32
  %m0s = tile.splat %m0 : i32 -> !mi
  %mr = tile.range 0 : !mi
  %m = arith.addi %m0s, %mr : !mi loc("rows")
  %n0 = arith.muli %pn, %bn : i32
  %n0s = tile.splat %n0 : i32 -> !ni
  %nr = tile.range 0 : !ni
  %n = arith.addi %n0s, %nr : !ni loc("cols")
  %m1 = tile.expand_dims %m 1 : !mi -> !mi1
  %n1 = tile.expand_dims %n 0 : !ni -> !ni1
  %Ms = tile.splat %M : i32 -> !mi1
  %Ns = tile.splat %N : i32 -> !ni1
  %mmask = arith.cmpi slt, %m1, %Ms : !mi1 loc("row_mask")
  %nmask = arith.cmpi slt, %n1, %Ns : !ni1 loc("col_mask")
  %zero = arith.constant dense<0.0> : !c
  %za = arith.constant dense<0.0> : !a
  %zb = arith.constant dense<0.0> : !b
  %c0 = arith.constant 0 : i32
  %acc = scf.for %k0 = %c0 to %K step %bk iter_args(%sum = %zero) -> (!c) : i32 {
    %ks = tile.splat %k0 : i32 -> !ki
    %kr = tile.range 0 : !ki
    %k = arith.addi %ks, %kr : !ki loc("k")
    %k1 = tile.expand_dims %k 0 : !ki -> !ki1
    %k2 = tile.expand_dims %k 1 : !ki -> !ki2
    %Ka = tile.splat %K : i32 -> !mi1
    %ra = arith.muli %m1, %Ka : !mi1
    %rab = tile.broadcast %ra : !mi1 -> !ai
    %kab = tile.broadcast %k1 : !ki1 -> !ai
    %as = tile.splat %a : !tile.ptr<f32> -> !ap
    %ap0 = tile.addptr %as, %rab : !ap, !ai
    %ap = tile.addptr %ap0, %kab : !ap, !ai
    %K1 = tile.splat %K : i32 -> !ki1
    %km = arith.cmpi slt, %k1, %K1 : !ki1
    %kmb = tile.broadcast %km : !km1 -> !am
    %mmb = tile.broadcast %mmask : !mm1 -> !am
    %am = arith.andi %mmb, %kmb : !am
    %av = tile.load %ap mask %am : !am other %za : !a : !ap -> !a loc("a")
    %Nb = tile.splat %N : i32 -> !ki2
    %rb = arith.muli %k2, %Nb : !ki2
    %rbb = tile.broadcast %rb : !ki2 -> !bi
    %nbb = tile.broadcast %n1 : !ni1 -> !bi
    %bs = tile.splat %b : !tile.ptr<f32> -> !bp
    %bp0 = tile.addptr %bs, %rbb : !bp, !bi
    %bp = tile.addptr %bp0, %nbb : !bp, !bi
    %K2 = tile.splat %K : i32 -> !ki2
    %km2 = arith.cmpi slt, %k2, %K2 : !ki2
    %kmb2 = tile.broadcast %km2 : !km2 -> !bm
    %nmb = tile.broadcast %nmask : !nm1 -> !bm
    %bmask = arith.andi %kmb2, %nmb : !bm
    %bv = tile.load %bp mask %bmask : !bm other %zb : !b : !bp -> !b loc("b")
    %next = tile.dot ieee %av, %bv, %sum : !a, !b -> !c
    scf.yield %next : !c
  }
  %Nc = tile.splat %N : i32 -> !mi1
  %rc = arith.muli %m1, %Nc : !mi1
  %rcb = tile.broadcast %rc : !mi1 -> !ci
  %ncb = tile.broadcast %n1 : !ni1 -> !ci
  %cs = tile.splat %c : !tile.ptr<f32> -> !cp
  %cp0 = tile.addptr %cs, %rcb : !cp, !ci
  %cp = tile.addptr %cp0, %ncb : !cp, !ci
  %mmc = tile.broadcast %mmask : !mm1 -> !cm
  %nmc = tile.broadcast %nmask : !nm1 -> !cm
  %cmask = arith.andi %mmc, %nmc : !cm
  tile.store %cp, %acc mask %cmask : !cm : !cp, !c
  return
}

func.func @matmul(%a: !host.tensor<["M", "K"] x f32, ["K", 1]> {host.name = "a"},
                  %b: !host.tensor<["K", "N"] x f32, ["N", 1]> {host.name = "b"})
    -> !host.tensor<["M", "N"] x f32, ["N", 1]>
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"K", size, 0, 1>,
                                              #host.symbol<"N", size, 1, 1>]} {
  %m = host.size <"M">
  %n = host.size <"N">
  %k = host.size <"K">
  %c = host.empty -> !host.tensor<["M", "N"] x f32, ["N", 1]> loc("c")
  host.launch @matmul_kernel grid [#sym.expr<"cdiv(M, BLOCK_M)">, #sym.expr<"cdiv(N, BLOCK_N)">] (%a, %b, %c, %m, %n, %k) meta {} :
    !host.tensor<["M", "K"] x f32, ["K", 1]>, !host.tensor<["K", "N"] x f32, ["N", 1]>, !host.tensor<["M", "N"] x f32, ["N", 1]>, i64, i64, i64
  return %c : !host.tensor<["M", "N"] x f32, ["N", 1]>
}

// CHECK: acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
// CHECK: acc = tl.dot(a, b, acc, input_precision="ieee")
// CHECK: tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=row_mask & col_mask)
// CHECK: matmul_kernel[(_cdiv(M, 32), _cdiv(N, 32))](
