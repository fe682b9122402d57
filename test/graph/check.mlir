// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @check(
func.func @check() {
  // CHECK: graph.check <"N >= 1">, "max() needs an element"
  graph.check <"N >= 1">, "max() needs an element"
  return
}

// -----

func.func @message() {
  // expected-error @+1 {{attribute 'message' failed to satisfy constraint: string attribute}}
  "graph.check"() {pred = #sym.pred<"N >= 1">, message = 1 : i64} : () -> ()
  return
}
