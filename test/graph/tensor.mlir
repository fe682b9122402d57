// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK: !graph.tensor<[] x i1>, %{{.*}}: !graph.tensor<[B, T, 4*D] x bf16>, %{{.*}}: !graph.tensor<["M // 2", 1] x ui8>
func.func @types(%a: !graph.tensor<[] x i1>, %b: !graph.tensor<[B, T, 4*D] x bf16>, %c: !graph.tensor<["M // 2", 1] x ui8>) {
  return
}

// -----

// expected-error @+1 {{a size of a tensor is negative: -1}}
func.func @negative(%a: !graph.tensor<["-1"] x f32>) {
  return
}

// -----

// expected-error @+1 {{'i7' is no element type of a tensor}}
func.func @elements(%a: !graph.tensor<[M] x i7>) {
  return
}
