// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: tiles made and rearranged, no arithmetic.
#ifndef NEREID_TILE_SHAPE_OPS_TD
#define NEREID_TILE_SHAPE_OPS_TD

include "tile/TileBase.td"

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "consecutive integers";
  let description = [{
    `result[i] = start + i`.
    Constraints: c1: the result is a rank-1 tile of i32; c2: its extent is a power of two.
    Example: `%0 = tile.range 0 : tensor<128xi32, #tile.dims<["BLOCK"]>>`
  }];
  let arguments = (ins Tile_IntAttr:$start);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tile of one repeated scalar";
  let description = [{
    `result[i...] = value`.
    Constraints: c1: the element type of the result is the type of the value.
    Example: `%0 = tile.splat %x : f32 -> tensor<4x8xf32>`
  }];
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a tile along its axes of extent 1";
  let description = [{
    `result[i...] = value[j...]`, `j_d = 0` where the value has extent 1, else `i_d`.
    Constraints: c1: equal ranks and element types; c2: each extent of the value is 1 or that of the result.
    Example: `%0 = tile.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>`
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "inserts an axis of extent 1";
  let description = [{
    `result[i..., 0, j...] = value[i..., j...]`, the 0 at `axis`.
    Constraints: c1: `axis` is at most the rank of the value; c2: the result is the value's type with that axis
    inserted.
    Example: `%0 = tile.expand_dims %x 1 : tensor<64xi32, #tile.dims<["B"]>> -> tensor<64x1xi32, #tile.dims<["B", ""]>>`
  }];
  let arguments = (ins Tile_Tile:$value, Tile_IntAttr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value $axis attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    `result.flat[k] = value.flat[k]`, both in row-major order.
    Constraints: c1: equal element types; c2: equal numbers of elements.
    Example: `%0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>`
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RelabelOp : Tile_Op<"relabel", [Pure]> {
  let summary = "the same tile with other names for its axes";
  let description = [{
    `result[i] = value[i]`. Where a front end meets equal extents under different names, it brings both to one naming
    with this operator; it prints as nothing.
    Constraints: c1: equal shapes and element types.
    Example: `%0 = tile.relabel %x : tensor<8xf32> -> tensor<8xf32, #tile.dims<["N"]>>`
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure]> {
  let summary = "permutes the axes";
  let description = [{
    `result[i_order[0], i_order[1], ...] = value[i_0, i_1, ...]`, so `result.shape[d] = value.shape[order[d]]`.
    Constraints: c1: `order` is a permutation; c2: the shapes agree.
    Example: `%0 = tile.trans %x [2, 0, 1] : tensor<2x4x8xf32> -> tensor<8x2x4xf32>`
  }];
  let arguments = (ins Tile_Tile:$value, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value $order attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "two tiles along a new last axis of extent 2";
  let description = [{
    `result[..., 0] = lhs`, `result[..., 1] = rhs`.
    Constraints: c1: the result is the operands' type with a last axis of extent 2.
    Example: `%0 = tile.join %x, %x : tensor<4xf32> -> tensor<4x2xf32>`
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "the two halves of a last axis of extent 2";
  let description = [{
    `lhs = value[..., 0]`, `rhs = value[..., 1]`: the inverse of `join`. Results of a rank-1 value are scalars.
    Constraints: c1: both results are the value's type without its last axis, whose extent is 2.
    Example: `%0, %1 = tile.split %x : tensor<4x2xf32> -> tensor<4xf32>`
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Any:$lhs, Tile_Any:$rhs);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($lhs)";
  let hasVerifier = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure]> {
  let summary = "two tiles one after the other along the first axis";
  let description = [{
    `result[i] = i < n ? lhs[i] : rhs[i - n]` along the first axis, `n` the extent of `lhs`.
    Constraints: c1: equal types but for the first extent, which adds up.
    Example: `%0 = tile.cat %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>`
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "elements picked along an axis by a tile of indices";
  let description = [{
    `result[i...] = value[i... with i_axis replaced by indices[i...]]`.
    Constraints: c1: `indices` is of integers and has the result's shape; c2: all ranks agree and all extents but
    `axis`.
    Example: `%0 = tile.gather %x[%i] 1 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>`
  }];
  let arguments = (ins Tile_Tile:$value, Tile_IntTile:$indices, Tile_IntAttr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value `[` $indices `]` $axis attr-dict `:` type($value) `[` type($indices) `]` `->` type($result)";
  let hasVerifier = 1;
}

#endif // NEREID_TILE_SHAPE_OPS_TD
