// RUN: nereid-emit %s | FileCheck %s

// Triton keeps the counter of a loop as a variable: a value of another type gets a name of its own in a later loop,
// while another counter takes the name again.
// CHECK-LABEL: def counters_kernel(
// CHECK: for peak in range(n):
// CHECK: for peak in range(n):
// CHECK: for k in range(n):
// CHECK: peak_1 = tl.load(
func.func @counters_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %out: !tile.ptr<i32> {tile.name = "out_ptr"}, %y: !tile.ptr<f32> {tile.name = "y_ptr"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  "scf.for"(%c0, %n, %c1) ({
  ^bb0(%i: i32 loc("peak")):
    %p = tile.addptr %out, %i : !tile.ptr<i32>, i32
    tile.store %p, %i : !tile.ptr<i32>, i32
    scf.yield
  }) : (i32, i32, i32) -> ()
  "scf.for"(%c0, %n, %c1) ({
  ^bb0(%i: i32 loc("peak")):
    %p = tile.addptr %out, %i : !tile.ptr<i32>, i32
    tile.store %p, %c1 : !tile.ptr<i32>, i32
    scf.yield
  }) : (i32, i32, i32) -> ()
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = tile.load %p : !tile.ptr<f32> -> f32 loc("peak")
    %s = arith.addf %v, %v : f32
    %q = tile.addptr %y, %i : !tile.ptr<f32>, i32
    tile.store %q, %s : !tile.ptr<f32>, f32
  }
  return
}
