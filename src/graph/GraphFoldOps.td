// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: folds and scans; sorts; random numbers.
#ifndef NEREID_GRAPH_FOLD_OPS_TD
#define NEREID_GRAPH_FOLD_OPS_TD

include "graph/GraphFoldKind.td"
include "sym/SymDialect.td"

def Graph_RandomKind : I32EnumAttr<"RandomKind", "how random words become numbers", [
    I32EnumAttrCase<"Bits", 0, "bits">, I32EnumAttrCase<"Uniform", 1, "uniform">,
    I32EnumAttrCase<"Normal", 2, "normal">]> {
  let cppNamespace = "::nereid::graph";
  let genSpecializedAttr = 0;
}
def Graph_RandomKindAttr : EnumAttr<Graph_Dialect, Graph_RandomKind, "random">;

def Graph_FoldOp : Graph_Op<"fold", [Pure]> {
  let summary = "combines all elements along axes";
  let description = [{
    `result[i] = (+)_r input[i, r]`; the axes `dims` are dropped. `max` and `min` propagate NaN. `argmax` and `argmin`
    give the first index (i64) of the greatest (least) element along one axis, a NaN counting as greatest (least). The
    fold of no elements is the neutral element; `max`, `min` and `arg*` have none (import adds a check).
    Constraints: c1: increasing axes within the rank, one for `arg*`; c2: the result's sizes are the others; c3:
    element types: of the input, bool for any and all (which take bool), i64 for `arg*`; c4: not `logsum`, the kind of a
    scan.
    Example: `%r = graph.fold sum %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_NumberTensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input $dims attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ScanOp : Graph_Op<"scan", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "prefixes of a fold along an axis";
  let description = [{
    `result[..., i, ...] = (+)_{j <= i} input[..., j, ...]`; `reverse`: over `j >= i`. Where `resets` hold, the fold
    starts again: of the `j` only those count that lie not before the last one that is no more than `i` (`reverse`: not
    behind the first one that is no less) and resets. `logsum` is the logarithm of the sum of exponentials:
    `a (+) b = max(a, b) + log1p(exp(-|a - b|))`, whose neutral element is `-inf`; a difference of equal infinities
    counts as 0.
    Constraints: c1: `dim` lies within the rank; c2: `kind` is sum, prod, max, min or, of floats, logsum; c3: `resets`
    have the sizes of the input.
    Example: `%r = graph.scan sum %a [%s] 1 reverse : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x i1>`
  }];
  let arguments = (ins Graph_FoldKindAttr:$kind, Graph_NumberTensor:$input, Optional<Graph_BoolTensor>:$resets,
                       I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $input (`[` $resets^ `]`)? $dim (`reverse` $reverse^)? attr-dict `:` type($input) (`,` type($resets)^)?";
  let hasVerifier = 1;
}

def Graph_SortOp : Graph_Op<"sort", [Pure]> {
  let summary = "the elements along an axis in order, and where each of them was";
  let description = [{
    `values[..., i, ...] = input[..., indices[..., i, ...], ...]`, where `indices` along `dim` is the permutation of the
    positions that puts the elements in increasing order (decreasing: `descending`), of which the results hold as many
    as their size along `dim` says. Equal elements keep the order of their positions, -0 and 0 are equal, and a NaN is
    greater than every number and equal to every other NaN.
    Constraints: c1: `dim` lies within the rank; c2: both results have the same sizes, the input's but for `dim`, which
    is not greater as far as can be told; c3: the values have the input's element type, the indices are i64.
    Example: `%v, %i = graph.sort %a dim 1 descending : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, 8] x f32>, !graph.tensor<[M, 8] x i64>`
  }];
  let arguments = (ins Graph_NumberTensor:$input, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs Graph_NumberTensor:$values, Graph_IntTensor:$indices);
  let assemblyFormat = "$input `dim` $dim (`descending` $descending^)? attr-dict `:` type($input) `->` type($values) `,` type($indices)";
  let hasVerifier = 1;
}

def Graph_RandomOp : Graph_Op<"random", [Pure]> {
  let summary = "random numbers, a function of a seed and of each element's position";
  let description = [{
    With `p(i)` the row-major position of `i` in the result, `bits` is a word (32 bits) and `uniform` 31 bits of it in
    [0, 1): the word `p(i) mod 4` of `philox4x32_10(key = seed, counter = stream * 2^40 + p(i) / 4)`, as Triton's
    tl.randint4x and tl.rand4x give them: four neighbours share a draw. `normal` is the transform of Box and Muller of
    the first two words of the counter `stream * 2^40 + p(i)`, as tl.randn gives it. The draws of one program have
    different streams, so that no two share a counter (a tensor holds less than 2^40 elements); a function counts from the
    number that it is given. The same seed gives the same numbers wherever and however often they are computed.
    Constraints: c1: the seed is of rank 0 and i64; c2: the result is ui32 for `bits`, else f32; c3: a `stream` that is
    known lies within 0 and 2^22.
    Example: `%r = graph.random uniform %s stream <0> : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_RandomKindAttr:$kind, Graph_IntTensor:$seed, Sym_ExprAttr:$stream);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $seed `stream` $stream attr-dict `:` type($seed) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How far the streams lie apart, in bits of what is added to the position of an element: it is divided by the
    /// words of a counter where these are shared.
    unsigned getShift() { return getKind() == RandomKind::Normal ? 40 : 42; }
  }];
}

#endif // NEREID_GRAPH_FOLD_OPS_TD
