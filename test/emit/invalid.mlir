// RUN: not nereid-emit %s 2>&1 | FileCheck %s

// What Triton cannot say is refused by name, at its operation, and nothing is printed.
// CHECK-NOT: import triton

// CHECK: invalid.mlir:[[@LINE+3]]:8: error: 'math.exp' op is computed in float32 or float64 by Triton; cast the operand first
func.func @half_exp(%x: !tile.ptr<f16> {tile.name = "x_ptr"}) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f16> -> f16
  %e = math.exp %v : f16
  tile.store %x, %e : !tile.ptr<f16>, f16
  return
}

// CHECK: error: 'arith.cmpf' op has a comparison that Triton cannot say
func.func @unordered(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %y: !tile.ptr<i1> {tile.name = "y_ptr"}) attributes {tile.kernel} {
  %a = tile.load %x : !tile.ptr<f32> -> f32
  %one = arith.constant 1.0 : f32
  %c = arith.cmpf one, %a, %one : f32
  tile.store %y, %c : !tile.ptr<i1>, i1
  return
}

// CHECK: error: 'arith.addi' op computes on i1, which Triton widens
func.func @add_bool(%y: !tile.ptr<i1> {tile.name = "y_ptr"}) attributes {tile.kernel} {
  %a = tile.load %y : !tile.ptr<i1> -> i1
  %c = arith.addi %a, %a : i1
  tile.store %y, %c : !tile.ptr<i1>, i1
  return
}

// CHECK: error: 'arith.extsi' op reads an i1 as signed, where true is -1; Triton reads it as 1
func.func @signed_bool(%y: !tile.ptr<i1> {tile.name = "y_ptr"}, %z: !tile.ptr<i32> {tile.name = "z_ptr"}) attributes {tile.kernel} {
  %a = tile.load %y : !tile.ptr<i1> -> i1
  %c = arith.extsi %a : i1 to i32
  tile.store %z, %c : !tile.ptr<i32>, i32
  return
}
