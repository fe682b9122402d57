// RUN: nereid-emit %s | FileCheck %s

// Numbers that Triton reads as signed are divided without signs by functions of the file, and have signs again.
// CHECK: @triton.jit
// CHECK-NEXT: def _remainder(x, n):
// CHECK: return (x.to(tl.uint32) % tl.cast(n, tl.uint32)).to(tl.int32)
// CHECK: def _quotient(x, n):
// CHECK: return (x.to(tl.uint32) // tl.cast(n, tl.uint32)).to(tl.int32)
// CHECK-LABEL: def divide_kernel(
// CHECK: cols = tl.arange(0, BLOCK)
// CHECK: tl.store(out_ptr + _remainder(cols, n), _quotient(cols, n) - 1)
func.func @divide_kernel(%out: !tile.ptr<i32> {tile.name = "out_ptr"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.doc = "Divides."} {
  %cols = tile.range 0 : tensor<64xi32, #tile.dims<["BLOCK"]>> loc("cols")
  %divisor = tile.splat %n : i32 -> tensor<64xi32, #tile.dims<["BLOCK"]>>
  %one = arith.constant dense<1> : tensor<64xi32, #tile.dims<["BLOCK"]>>
  %rest = arith.remui %cols, %divisor : tensor<64xi32, #tile.dims<["BLOCK"]>>
  %quotient = arith.divui %cols, %divisor : tensor<64xi32, #tile.dims<["BLOCK"]>>
  %less = arith.subi %quotient, %one : tensor<64xi32, #tile.dims<["BLOCK"]>>
  %ptrs = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #tile.dims<["BLOCK"]>>
  %at = tile.addptr %ptrs, %rest : tensor<64x!tile.ptr<i32>, #tile.dims<["BLOCK"]>>, tensor<64xi32, #tile.dims<["BLOCK"]>>
  tile.store %at, %less : tensor<64x!tile.ptr<i32>, #tile.dims<["BLOCK"]>>, tensor<64xi32, #tile.dims<["BLOCK"]>>
  return
}
