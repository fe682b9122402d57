// RUN: nereid-emit %s -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py control --case n=12,x=f32[10] --case n=5,x=f32[2]

// Loops and branches keep one Python variable for each carried value.
func.func @fibonacci_kernel(%out: !tile.ptr<i32> {tile.name = "out_ptr"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
    %s = arith.addi %a, %b : i32
    scf.yield %b, %s : i32, i32
  }
  tile.store %out, %r#0 : !tile.ptr<i32>, i32
  return
}

// Two values change places: one waits under a name of its own.
func.func @swap_kernel(%out: !tile.ptr<i32> {tile.name = "out_ptr"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c7) -> (i32, i32) : i32 {
    scf.yield %b, %a : i32, i32
  }
  tile.store %out, %r#0 : !tile.ptr<i32>, i32
  return
}

func.func @branch_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %out: !tile.ptr<f32> {tile.name = "out_ptr"},
                         %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = tile.load %p : !tile.ptr<f32> -> f32
    %odd = arith.remsi %i, %c3 : i32
    %is = arith.cmpi eq, %odd, %c0 : i32
    %next = scf.if %is -> f32 {
      %two = arith.constant 2.0 : f32
      %d = arith.mulf %v, %two : f32
      %s = arith.addf %acc, %d : f32
      scf.yield %s : f32
    } else {
      scf.yield %acc : f32
    }
    scf.yield %next : f32
  }
  %many = arith.cmpi sgt, %n, %c3 : i32
  %scaled = scf.if %many -> f32 {
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %sum, %half : f32
    scf.yield %h : f32
  } else {
    %one = arith.constant 1.0 : f32
    %o = arith.addf %sum, %one : f32
    scf.yield %o : f32
  } loc("scaled")
  tile.store %out, %scaled : !tile.ptr<f32>, f32
  return
}

// A lock around an update, as split folds take it.
func.func @locked_kernel(%lock: !tile.ptr<i32> {tile.name = "lock_ptr"}, %out: !tile.ptr<f32> {tile.name = "out_ptr"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas %lock, %c0, %c1 : !tile.ptr<i32>, i32 -> i32
    %taken = arith.cmpi eq, %old, %c1 : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %v = tile.load %out : !tile.ptr<f32> -> f32
  %pid = tile.program_id 0
  %p = arith.sitofp %pid : i32 to f32
  %s = arith.addf %v, %p : f32
  tile.store %out, %s : !tile.ptr<f32>, f32
  %was = tile.atomic_rmw xchg %lock, %c0 {sem = #tile.sem<release>} : !tile.ptr<i32>, i32 -> i32
  return
}

// Newton's square root: the condition is computed from the carried value.
func.func @root_kernel(%out: !tile.ptr<i32> {tile.name = "out_ptr"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %ii = arith.muli %i, %i : i32
    %less = arith.cmpi slt, %ii, %n : i32
    scf.condition(%less) %i : i32
  } do {
  ^bb0(%j: i32):
    %next = arith.addi %j, %c1 : i32
    scf.yield %next : i32
  }
  tile.store %out, %r : !tile.ptr<i32>, i32
  return
}

func.func @control(%n: i64 {host.name = "n"}, %x: !host.tensor<["K"] x f32, [1]> {host.name = "x"})
   -> (!host.tensor<[4] x i32, [1]>, !host.tensor<[2] x f32, [1]>)
    attributes {host.program, host.symbols = [#host.symbol<"K", size, 1, 0>]} {
  %zero = arith.constant 0 : i64
  %ints = host.full %zero : i64 -> !host.tensor<[4] x i32, [1]> loc("ints")
  %none = arith.constant 0.0 : f64
  %floats = host.full %none : f64 -> !host.tensor<[2] x f32, [1]> loc("floats")
  %i1 = host.view %ints offset <1> : !host.tensor<[4] x i32, [1]> -> !host.tensor<[1] x i32, [1]> loc("second")
  %i2 = host.view %ints offset <2> : !host.tensor<[4] x i32, [1]> -> !host.tensor<[1] x i32, [1]> loc("third")
  %i3 = host.view %ints offset <3> : !host.tensor<[4] x i32, [1]> -> !host.tensor<[1] x i32, [1]> loc("lock")
  %f1 = host.view %floats offset <1> : !host.tensor<[2] x f32, [1]> -> !host.tensor<[1] x f32, [1]> loc("locked")
  %k = host.size <"K">
  host.launch @fibonacci_kernel grid [#sym.expr<1>] (%ints, %n) meta {} : !host.tensor<[4] x i32, [1]>, i64
  host.launch @swap_kernel grid [#sym.expr<1>] (%i1, %n) meta {} : !host.tensor<[1] x i32, [1]>, i64
  host.launch @root_kernel grid [#sym.expr<1>] (%i2, %n) meta {} : !host.tensor<[1] x i32, [1]>, i64
  host.launch @branch_kernel grid [#sym.expr<1>] (%x, %floats, %k) meta {} : !host.tensor<["K"] x f32, [1]>, !host.tensor<[2] x f32, [1]>, i64
  host.launch @locked_kernel grid [#sym.expr<4>] (%i3, %f1) meta {} : !host.tensor<[1] x i32, [1]>, !host.tensor<[1] x f32, [1]>
  return %ints, %floats : !host.tensor<[4] x i32, [1]>, !host.tensor<[2] x f32, [1]>
}

// CHECK-LABEL: def fibonacci_kernel(
// CHECK:        index, index_1 = index_1, {{.*}}
// CHECK-LABEL: def swap_kernel(
// CHECK:        index, index_1 = index_1, index
// CHECK-LABEL: def branch_kernel(
// CHECK:        if k % 3 == 0:
// CHECK-NEXT:       acc += x * 2.0
// CHECK-NEXT:   if n > 3:
// CHECK-NEXT:       scaled = acc * 0.5
// CHECK-NEXT:   else:
// CHECK-NEXT:       scaled = acc + 1.0
// CHECK-LABEL: def locked_kernel(
// CHECK:        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
// CHECK-NEXT:       pass
// CHECK-LABEL: def root_kernel(
// CHECK:        while index * index < n:
// CHECK-NEXT:       index += 1
