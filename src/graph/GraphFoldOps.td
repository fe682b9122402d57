// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: folds and scans.
#ifndef NEREID_GRAPH_FOLD_OPS_TD
#define NEREID_GRAPH_FOLD_OPS_TD

include "graph/GraphDialect.td"

def Graph_FoldKind : I32EnumAttr<"FoldKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Any", 4, "any">, I32EnumAttrCase<"All", 5, "all">,
    I32EnumAttrCase<"Argmax", 6, "argmax">, I32EnumAttrCase<"Argmin", 7, "argmin">]> {
  let cppNamespace = "::nereid::graph";
  let genSpecializedAttr = 0;
}
def Graph_FoldKindAttr : EnumAttr<Graph_Dialect, Graph_FoldKind, "fold">;

def Graph_FoldOp : Graph_Op<"fold", [Pure]> {
  let summary = "combines all elements along axes";
  let description = [{
    `result[i] = (+)_r input[i, r]`; the axes `dims` are dropped. `max` and `min` propagate NaN. `argmax` and `argmin`
    give the first index (i64) of the greatest (least) element along one axis, a NaN counting as greatest (least). The
    fold of no elements is the neutral element; `max`, `min` and `arg*` have none (import adds a check).
    Constraints: c1: increasing axes within the rank, one for `arg*`; c2: the result's sizes are the others; c3:
    element types: of the input, bool for any and all (which take bool), i64 for `arg*`.
    Example: `%r = graph.fold sum %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_NumberTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input $dims attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ScanOp : Graph_Op<"scan", [Pure, SameOperandsAndResultType]> {
  let summary = "prefixes of a fold along an axis";
  let description = [{
    `result[..., i, ...] = (+)_{j <= i} input[..., j, ...]`.
    Constraints: c1: `dim` lies within the rank; c2: `kind` is sum, prod, max or min.
    Example: `%r = graph.scan sum %a 1 : !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_NumberTensor:$input, I64Attr:$dim);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $input $dim attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // NEREID_GRAPH_FOLD_OPS_TD
