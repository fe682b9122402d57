// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A quotient or root behind which a step lies (a rounding, a comparison but with 0) is correctly rounded.
// CHECK-LABEL: func.func @steps
// CHECK-NOT: arith.divf
// CHECK-DAG: tile.libdevice "div_rn"
// CHECK-DAG: tile.libdevice "sqrt_rn"
// CHECK: return
func.func @steps(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> (!graph.tensor<[M, N] x i8>, !graph.tensor<[M, N] x i1>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %q = graph.div %x, %y : !graph.tensor<[M, N] x f32>
  %r = graph.round %q : !graph.tensor<[M, N] x f32>
  %b = graph.cast %r : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x i8>
  %a = graph.abs %x : !graph.tensor<[M, N] x f32>
  %s = graph.sqrt %a : !graph.tensor<[M, N] x f32>
  %l = graph.lt %s, %y : !graph.tensor<[M, N] x f32>
  return %b, %l : !graph.tensor<[M, N] x i8>, !graph.tensor<[M, N] x i1>
}

// Others are as fast as they can be: a comparison with 0 asks for the sign alone, and a sum's own error is greater.
// CHECK-LABEL: func.func @smooth
// CHECK-NOT: tile.libdevice
// CHECK: return
func.func @smooth(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> (!graph.tensor<[M, N] x i1>, !graph.tensor<[M] x i1>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %q = graph.div %x, %y : !graph.tensor<[M, N] x f32>
  %z = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %zs = graph.broadcast %z [] : !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  %p = graph.gt %q, %zs : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %q [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %o = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %os = graph.broadcast %o [] : !graph.tensor<[] x f32> -> !graph.tensor<[M] x f32>
  %g = graph.gt %s, %os : !graph.tensor<[M] x f32>
  return %p, %g : !graph.tensor<[M, N] x i1>, !graph.tensor<[M] x i1>
}

// What is left of a quotient of floats is computed from its digits, but for powers of two.
// CHECK-LABEL: func.func @remainders
// CHECK-DAG: tile.libdevice "fmod"
// CHECK-DAG: arith.remf
// CHECK: return
func.func @remainders(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %q = graph.fmod %x, %y : !graph.tensor<[M, N] x f32>
  %o = graph.constant 0.5 : f64 -> !graph.tensor<[] x f32>
  %os = graph.broadcast %o [] : !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  %r = graph.remainder %x, %os : !graph.tensor<[M, N] x f32>
  return %q, %r : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x f32>
}

// A place that nothing reads is no step: `values, _ = (x / 0.1).max(1)`.
// CHECK-LABEL: func.func @values
// CHECK-NOT: tile.libdevice
// CHECK: return
func.func @values(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %q = graph.div %x, %y : !graph.tensor<[M, N] x f32>
  %m:2 = graph.composite "aten::max.dim"(%q) : (!graph.tensor<[M, N] x f32>) -> (!graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>) {
  ^bb0(%a: !graph.tensor<[M, N] x f32>):
    %i = graph.fold argmax %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x i64>
    %v = graph.fold max %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
    graph.yield %v, %i : !graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>
  }
  return %m#0 : !graph.tensor<[M] x f32>
}

// One that is read is.
// CHECK-LABEL: func.func @places
// CHECK: tile.libdevice "div_rn"
func.func @places(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> !graph.tensor<[M] x i64>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %q = graph.div %x, %y : !graph.tensor<[M, N] x f32>
  %m:2 = graph.composite "aten::max.dim"(%q) : (!graph.tensor<[M, N] x f32>) -> (!graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>) {
  ^bb0(%a: !graph.tensor<[M, N] x f32>):
    %i = graph.fold argmax %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x i64>
    %v = graph.fold max %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
    graph.yield %v, %i : !graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>
  }
  return %m#1 : !graph.tensor<[M] x i64>
}
