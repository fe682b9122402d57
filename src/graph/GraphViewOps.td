// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: constants, sizes and rearrangements: pure index maps, no arithmetic on elements.
#ifndef NEREID_GRAPH_VIEW_OPS_TD
#define NEREID_GRAPH_VIEW_OPS_TD

include "graph/GraphDialect.td"
include "sym/SymDialect.td"

def Graph_ConstantOp : Graph_Op<"constant", [Pure]> {
  let summary = "a number as a tensor of rank 0";
  let description = [{
    `result = value`, converted to the element type of the result.
    Constraints: c1: the result has rank 0; c2: the attribute is a float attribute (f64) for a float result, an
    integer attribute (i64) for an integer or bool result.
    Example: `%r = graph.constant 2.0 : f64 -> !graph.tensor<[] x f32>`
  }];
  let arguments = (ins AnyAttrOf<[F64Attr, I64Attr]>:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Graph_SizeOp : Graph_Op<"size", [Pure]> {
  let summary = "an index expression as a tensor of rank 0";
  let description = [{
    `result = expr` at the sizes of this call.
    Constraints: c1: the result is `!graph.tensor<[] x i64>`.
    Example: `%r = graph.size <4*M> -> !graph.tensor<[] x i64>`
  }];
  let arguments = (ins Sym_ExprAttr:$expr);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$expr attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Graph_IotaOp : Graph_Op<"iota", [Pure]> {
  let summary = "the index along an axis";
  let description = [{
    `result[i] = i[dim]`.
    Constraints: c1: `dim` lies within the rank; c2: the elements are integers (a trait).
    Example: `%r = graph.iota 1 -> !graph.tensor<[M, N] x i64>`
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$dim attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Graph_BroadcastOp : Graph_Op<"broadcast", [Pure]> {
  let summary = "repeats a tensor along new axes";
  let description = [{
    `result[i] = input[i[dims[0]], i[dims[1]], ...]`: `dims` says which axis of the result each axis of the input is,
    in increasing order; an input axis of size 1 may meet any size.
    Constraints: c1: one increasing number an input axis; c2: each input size is 1 or equal to the result's.
    Example: `%r = graph.broadcast %a [1] : !graph.tensor<[N] x f32> -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input $dims attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_TransposeOp : Graph_Op<"transpose", [Pure]> {
  let summary = "permutes the axes";
  let description = [{
    `result[i] = input[j]` with `j[order[d]] = i[d]`, so `result.size[d] = input.size[order[d]]`.
    Constraints: c1: `order` is a permutation; c2: sizes and element types agree.
    Example: `%r = graph.transpose %a [1, 0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, M] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$order);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input $order attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under other sizes";
  let description = [{
    `result.flat[k] = input.flat[k]`, both in row-major order.
    Constraints: c1: equal element types; c2: the products of the sizes are equal, as far as can be told.
    Example: `%r = graph.reshape %a : !graph.tensor<[M, 4*N] x f32> -> !graph.tensor<[M, N, 4] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ContiguousOp : Graph_Op<"contiguous", [Pure, SameOperandsAndResultType]> {
  let summary = "the same tensor, in row-major order if it comes to lie in memory";
  let description = [{
    `result = input`. Sizes, elements and values are the input's; only the strides of a result of the program depend
    on it, which PyTorch's pointwise operators would take from their operands.
    Example: `%r = graph.contiguous %a : !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Graph_SliceOp : Graph_Op<"slice", [Pure]> {
  let summary = "every step-th element from a start along one axis";
  let description = [{
    `result[..., i, ...] = input[..., start + i * step, ...]`; the size of the result says how many.
    Constraints: c1: `step >= 1`; c2: sizes agree but for `dim`.
    Example: `%r = graph.slice %a dim 1 start <N> step 1 : !graph.tensor<[M, 2*N] x f32> -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$dim, Sym_ExprAttr:$start, I64Attr:$step);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `dim` $dim `start` $start `step` $step attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_PadOp : Graph_Op<"pad", [Pure]> {
  let summary = "constant elements before and after along one axis; negative amounts crop";
  let description = [{
    `result[..., i, ...] = 0 <= i - low < n ? input[..., i - low, ...] : value`; the size of the result is
    `low + n + high`.
    Constraints: c1: `value` is of rank 0 and the input's element type; c2: sizes agree but for `dim`.
    Example: `%r = graph.pad %a, %b dim 0 low <2> : !graph.tensor<[M] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M + 3] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$value, I64Attr:$dim, Sym_ExprAttr:$low);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $value `dim` $dim `low` $low attr-dict `:` type($input) `,` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_FlipOp : Graph_Op<"flip", [Pure, SameOperandsAndResultType]> {
  let summary = "reverses axes";
  let description = [{
    `result[..., i, ...] = input[..., n - 1 - i, ...]` for each axis of `dims`.
    Constraints: c1: distinct axes.
    Example: `%r = graph.flip %a [1] : !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input $dims attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Graph_ConcatOp : Graph_Op<"concat", [Pure]> {
  let summary = "tensors one after the other along an axis";
  let description = [{
    `result[..., i, ...] = input_k[..., i - o_k, ...]` where `o_k <= i < o_k + n_k`, `o_k` the sum of the sizes `n` of
    the inputs before.
    Constraints: c1: at least one input; c2: equal element types and sizes but for `dim`, which adds up where sizes
    are divisible as the program's checks demand.
    Example: `%r = graph.concat %a, %b dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, 4] x f32> -> !graph.tensor<[M, N + 4] x f32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_GatherOp : Graph_Op<"gather", [Pure]> {
  let summary = "elements picked along an axis by a tensor of indices";
  let description = [{
    `result[i] = input[i with i[dim] replaced by indices[i]]` where `0 <= indices[i] < input.size[dim]`, else 0 (an
    error when debugging).
    Constraints: c1: `indices` has the result's sizes; c2: sizes of input and result agree but for `dim`.
    Example: `%r = graph.gather %a [%b] dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, K] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IntTensor:$indices, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `[` $indices `]` `dim` $dim attr-dict `:` type($input) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_WindowOp : Graph_Op<"window", [Pure]> {
  let summary = "sliding windows along one axis";
  let description = [{
    `result[..., i, j, ...] = input[..., i * step + j, ...]`: axis `dim` becomes two, the number of the window and the
    place in it; windows overlap where they are longer than `step`.
    Constraints: c1: `step >= 1`; c2: equal element types and sizes but for `dim`, in whose place the result has two.
    Example: `%r = graph.window %a dim 1 step 2 : !graph.tensor<[M, 2*N + 4] x f32> -> !graph.tensor<[M, N, 6] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$dim, I64Attr:$step);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `dim` $dim `step` $step attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NEREID_GRAPH_VIEW_OPS_TD
