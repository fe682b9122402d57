// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: folds whose groups the data say: by an index an element, or by bounds in a sorted order; and the search for
// such bounds.
#ifndef NEREID_GRAPH_SCATTER_OPS_TD
#define NEREID_GRAPH_SCATTER_OPS_TD

include "graph/GraphFoldKind.td"

def Graph_ScatterOp : Graph_Op<"scatter", [Pure]> {
  let summary = "folds of the elements that a tensor of indices sends to places along an axis";
  let description = [{
    `result[i] = (+)_j updates[j]` over the `j` that are `i` with `j[dim]` anywhere and `indices[j] = i[dim]`; the
    neutral element of the fold where there is none. An index outside of `0 <= indices[j] < result.size[dim]` adds
    nothing (an error when debugging). The sum is what `gather` is backwards; it is the same on every run. `unique`
    says that no line has one index twice, `sorted` that along `dim` the indices do not decrease.
    Constraints: c1: `indices` has the sizes of `updates`; c2: sizes of updates and result agree but for `dim`, and their
    element types too; c3: f32, f64, integers or bool (a trait); c4: `kind` is sum, prod, max or min.
    Example: `%r = graph.scatter sum %u [%i] dim 1 : !graph.tensor<[M, K] x f32>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_Tensor:$updates, Graph_IntTensor:$indices, I64Attr:$dim,
                       UnitAttr:$unique, UnitAttr:$sorted);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $updates `[` $indices `]` `dim` $dim (`unique` $unique^)? (`sorted` $sorted^)? attr-dict `:` type($updates) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_SegmentOp : Graph_Op<"segment", [Pure]> {
  let summary = "folds of runs of rows whose bounds are data";
  let description = [{
    `result[i, ...] = (+)_r input[r, ...]` over `max(bounds[i], 0) <= r < min(bounds[i + 1], n)` for the `n` rows of the
    input; the neutral element of the fold where there is none.
    Constraints: c1: `bounds` has rank 1 and one element more than the result has rows; c2: other sizes and the element
    types agree; c3: `kind` is sum, prod, max or min.
    Example: `%r = graph.segment sum %a [%b] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_Tensor:$input, Graph_IntTensor:$bounds);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $input `[` $bounds `]` attr-dict `:` type($input) `,` type($bounds) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_RunsOp : Graph_Op<"runs", [Pure, AllTypesMatch<["starts", "stops"]>]> {
  let summary = "folds of runs of rows that may overlap or leave rows out";
  let description = [{
    `result[i, ...] = (+)_r input[r, ...]` over `max(starts[i], 0) <= r < min(stops[i], n)` for the `n` rows of the
    input; the neutral element of the fold where there is none. The scheduler writes it; it has no gradient.
    Constraints: c1: `starts` and `stops` have rank 1 and an element for each row of the result, of one type; c2: other
    sizes and the element types agree; c3: `kind` is sum, prod, max or min.
    Example: `%r = graph.runs sum %a [%s, %t] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M] x i64> -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_Tensor:$input, Graph_IntTensor:$starts, Graph_IntTensor:$stops);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $input `[` $starts `,` $stops `]` attr-dict `:` type($input) `,` type($starts) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_SearchOp : Graph_Op<"search", [Pure]> {
  let summary = "how many elements of a sorted line lie before a value";
  let description = [{
    `result[..., i] = |{k : keys[..., k] < values[..., i]}|` for keys that do not decrease along the last axis (`right`:
    `<=`), found by halving the line; a NaN counts as greater than every number. Of keys in another order some number
    within 0 and their count.
    Constraints: c1: keys and values have one rank, at least 1, and equal sizes but for the last axis; c2: equal element
    types; c3: the result is i64 and has the sizes of the values.
    Example: `%r = graph.search %k, %v right : !graph.tensor<[M, K] x f32>, !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x i64>`
  }];
  let arguments = (ins Graph_NumberTensor:$keys, Graph_NumberTensor:$values, UnitAttr:$right);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$keys `,` $values (`right` $right^)? attr-dict `:` type($keys) `,` type($values) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NEREID_GRAPH_SCATTER_OPS_TD
