// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @check_index(
func.func @check_index(%a: !graph.tensor<[M] x i64>, %n: !graph.tensor<[M] x i64>) {
  // CHECK: graph.check_index %{{.*}} below %{{.*}} "embedding" : <[M] x i64>
  %r = graph.check_index %a below %n "embedding" : !graph.tensor<[M] x i64>
  return
}

// -----

func.func @element(%a: !graph.tensor<[M] x i32>) {
  // expected-error @+1 {{c2: indices are i64, found 'i32'}}
  %r = graph.check_index %a below %a "embedding" : !graph.tensor<[M] x i32>
  return
}
