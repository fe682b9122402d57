// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Rows of a table that the cache does not hold are looked up by some of their columns at a time: programs side by side
// differ in their rows.
// CHECK-LABEL: func.func @lookup_kernel
// CHECK: %[[PID:.*]] = tile.program_id
// CHECK: %[[BLOCKS:.*]] = arith.divsi
// CHECK: arith.remsi %[[PID]], %[[BLOCKS]]
// CHECK: arith.divsi %[[PID]], %[[BLOCKS]]
func.func @lookup(%t: !graph.tensor<[M] x i64> {graph.name = "tokens"}, %x: !graph.tensor<[V, D] x bf16> {graph.name = "x"})
    -> !graph.tensor<[M, D] x bf16>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 65536 : i64, V = 32000 : i64, D = 2048 : i64}} {
  %i = graph.broadcast %t [0] : !graph.tensor<[M] x i64> -> !graph.tensor<[M, D] x i64>
  %r = graph.gather %x [%i] dim 0 : !graph.tensor<[V, D] x bf16>, !graph.tensor<[M, D] x i64> -> !graph.tensor<[M, D] x bf16>
  return %r : !graph.tensor<[M, D] x bf16>
}
