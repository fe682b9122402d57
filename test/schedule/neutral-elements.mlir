// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s

// What lanes beyond the row hold is the fold's neutral element, in the range of what is loaded: bytes accumulate in
// i32, but a load's padding is a byte. A float's -inf is no padding of an integer that is cast.
// CHECK-LABEL: func.func @f_unsigned_kernel
// CHECK: arith.constant -1 : i64
// CHECK: arith.minui
// CHECK-LABEL: func.func @f_byte_kernel
// CHECK: arith.constant -128 : i32
// CHECK: arith.constant -128 : i8
// CHECK: tile.load {{.*}} other
// CHECK: arith.maxsi
// CHECK-LABEL: func.func @f_product_kernel
// CHECK: arith.constant 1.0{{.*}} : f32
// CHECK: arith.mulf
// CHECK-LABEL: func.func @f_all_kernel
// CHECK: arith.constant 1 : i32
// CHECK: arith.minsi
// CHECK-LABEL: func.func @f_cast_kernel
// CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[NEUTRAL:.*]] = tile.splat %[[NONE]]
// CHECK: arith.constant 0 : i8
// CHECK: tile.load {{.*}} other
// CHECK: arith.sitofp
// CHECK: arith.select {{.*}}, %[[NEUTRAL]]
// CHECK: arith.maximumf
func.func @f(%u: !graph.tensor<[M, N] x ui64> {graph.name = "u"}, %b: !graph.tensor<[M, N] x i8> {graph.name = "b"},
             %x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %t: !graph.tensor<[M, N] x i1> {graph.name = "t"})
    -> (!graph.tensor<[M] x ui64>, !graph.tensor<[M] x i8>, !graph.tensor<[M] x f32>, !graph.tensor<[M] x i1>, !graph.tensor<[M] x f32>)
    attributes {graph.program, graph.result = "({0}, {1}, {2}, {3}, {4})"} {
  %0 = graph.fold min %u [1] : !graph.tensor<[M, N] x ui64> -> !graph.tensor<[M] x ui64> loc("unsigned")
  %1 = graph.fold max %b [1] : !graph.tensor<[M, N] x i8> -> !graph.tensor<[M] x i8> loc("byte")
  %2 = graph.fold prod %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32> loc("product")
  %3 = graph.fold all %t [1] : !graph.tensor<[M, N] x i1> -> !graph.tensor<[M] x i1> loc("all")
  %c = graph.cast %b : !graph.tensor<[M, N] x i8> -> !graph.tensor<[M, N] x f32>
  %4 = graph.fold max %c [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32> loc("cast")
  return %0, %1, %2, %3, %4 : !graph.tensor<[M] x ui64>, !graph.tensor<[M] x i8>, !graph.tensor<[M] x f32>, !graph.tensor<[M] x i1>, !graph.tensor<[M] x f32>
}
