// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: products, folds, scans and functions of the device library. Arithmetic is upstream's arith and math.
#ifndef NEREID_TILE_COMPUTE_OPS_TD
#define NEREID_TILE_COMPUTE_OPS_TD

include "tile/TileBase.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product added to an accumulator";
  let description = [{
    `result[m, n] = acc[m, n] + sum_k lhs[m, k] * rhs[k, n]`, with a leading batch axis at rank 3.
    Constraints: c1: all ranks are 2, or all are 3; c2: the extents agree; c3: both operands have one element type
    (8-bit floats may mix); c4: the accumulator is i32 for i8, f64 for f64, else f32 or, for f16, f16.
    `launched` is what the launch says: tf32, or else tf32x3, as which it is computed here.
    Example: `%0 = tile.dot ieee %a, %b, %c : tensor<16x8xf16>, tensor<8x32xf16> -> tensor<16x32xf32>`
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc, Tile_PrecisionAttr:$precision);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$precision $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `->` type($acc)";
  let hasVerifier = 1;
}

def Tile_Tf32Op : Tile_Op<"tf32", [Pure, SameOperandsAndResultType]> {
  let summary = "the nearest TF32, if the launch says so";
  let description = [{
    Rounds to 10 binary digits behind the first, half away from zero, where the launch takes products of TF32; matrix
    units would cut the others off. Else, and here, the value itself.
    Constraints: c1: the elements are f32.
    Example: `%0 = tile.tf32 %x : tensor<8xf32>`
  }];
  let arguments = (ins Tile_Any:$value);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_HalfScaleOp : Tile_Op<"half_scale", [Pure, SameOperandsAndResultType]> {
  let summary = "the power of two with which halves hold numbers up to this one, if the launch says so";
  let description = [{
    Where the launch takes products of TF32, the power of two that brings a number, not negative and finite, to between
    2^14 and 2^15; 2^126 where that is more. Else, and here, 1.
    Constraints: c1: the elements are f32.
    Example: `%0 = tile.half_scale %greatest : tensor<8xf32>`
  }];
  let arguments = (ins Tile_Any:$value);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SingleBlock, IsolatedFromAbove]> {
  let summary = "folds tiles along an axis";
  let description = [{
    For n values of one shape, `result_k[i...] = (+)_r value_k[i..., r, ...]` where the region maps 2n scalars (n of
    the left operand, n of the right) to n. The fold is a balanced tree over halves: it combines elements `r` and
    `r + extent/2`. Rank-1 values give scalars.
    Constraints: c1: `axis` lies within the rank; c2: all values have one shape; c3: results are the values' types
    without that axis; c4: the region takes 2n and yields n element scalars.
    Example:
    ```mlir
    %0 = tile.reduce 1(%x) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    } : tensor<4x8xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$values, Tile_IntAttr:$axis);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$axis `(` $values `)` $combine attr-dict `:` type($values) `->` type($results)";
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, SingleBlock, IsolatedFromAbove]> {
  let summary = "prefixes of a fold along an axis";
  let description = [{
    `result_k[..., r, ...] = (+)_{s <= r} value_k[..., s, ...]`, over `s >= r` when `reverse`.
    Constraints: c1: `axis` lies within the rank; c2: all values have one shape; c3: results have the values' types;
    c4: the region takes 2n and yields n element scalars.
    Example:
    ```mlir
    %0 = tile.scan 1(%x) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    } : tensor<4x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$values, Tile_IntAttr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "(`reverse` $reverse^)? $axis `(` $values `)` $combine attr-dict `:` type($values) `->` type($results)";
  let hasVerifier = 1;
}

def Tile_SortOp : Tile_Op<"sort", [Pure, SameOperandsAndResultType]> {
  let summary = "the lines along the last axis in increasing order";
  let description = [{
    `result[i..., r]` is the element of rank `r` among `value[i..., 0], value[i..., 1], ...`, signed integers in
    increasing order, in decreasing order when `descending`. With `merges` a line rises and then falls, or falls and
    then rises, which takes less to sort; what any other line becomes is that of the network: for 2^k = n / 2, ..., 2, 1
    the elements whose positions differ by 2^k are compared, and exchanged where they are not in order.
    Constraints: c1: the elements are i32 or i64. c2: with `merges` lines have a power of two of elements.
    Example: `%0 = tile.sort %x : tensor<4x8xi64>`
  }];
  let arguments = (ins Tile_Tile:$value, UnitAttr:$descending, UnitAttr:$merges);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "(`merges` $merges^)? (`descending` $descending^)? $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "the combined scalars";
  let description = [{
    Ends the region of `reduce` or `scan`: its values are the combination of the left operand with the right one.
    Example: `tile.yield %a : f32`
  }];
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_LibdeviceOp : Tile_Op<"libdevice", [Pure]> {
  let summary = "a function of the CUDA device library, by its short name";
  let description = [{
    `result = f(operands...)` element by element, as `triton.language.extra.libdevice.NAME`.
    Constraints: c1: the name is known; c2: as many operands as it takes; c3: one shape, floats of 32 or 64 bits (or
    the integer types that the function takes).
    Example: `%0 = tile.libdevice "tanh"(%x) : (tensor<8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins StrAttr:$name, Variadic<Tile_Any>:$operands);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$name `(` $operands `)` attr-dict `:` functional-type($operands, $result)";
  let hasVerifier = 1;
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "instructions of the machine, of which nothing is known";
  let description = [{
    Each element of the results is what the instructions `text` make of the elements of the operands at its place, `pack`
    of them at a time (`tl.inline_asm_elementwise`). Nothing is known of what they compute; unless it is `pure`, they read
    and write any memory.
    Constraints: c1: operands and results have one shape; c2: `pack` is at least 1; c3: there is a result.
    Example: `%0 = tile.inline_asm "ex2.approx.f32 $0, $1;", "=r,r"(%x) pure pack 1 : (tensor<8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, Variadic<Tile_Any>:$operands, I64Attr:$pack,
                   UnitAttr:$pure);
  let results = (outs Variadic<Tile_Any>:$results);
  let assemblyFormat = [{
    $text `,` $constraints `(` $operands `)` (`pure` $pure^)? `pack` $pack attr-dict `:`
    functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Tile_RandomOp : Tile_Op<"random", [Pure]> {
  let summary = "random numbers, a function of a seed and of offsets";
  let description = [{
    `w = philox4x32_10(key = seed, counter = offset)` element by element, as Triton's own: `bits` is the word `w[0]`
    (`tl.randint`), `uniform` its 31 bits as a number in [0, 1) (`tl.rand`), `normal` the transform of Box and Muller
    of `w[0]` and `w[1]` (`tl.randn`). `shared_bits` and `shared_uniform` read the word `offset mod 4` of the counter
    `offset / 4`, so that four neighbours share a draw (`tl.randint4x`, `tl.rand4x`). Equal seeds and offsets give equal
    numbers, whatever the width of the offsets.
    Constraints: c1: offsets are i32 (read unsigned) or i64; c2: the result has their shape, and i32 for bits, else
    f32.
    Example: `%0 = tile.random uniform %seed, %x : tensor<8xi64> -> tensor<8xf32>`
  }];
  let arguments = (ins Tile_RandomKindAttr:$kind, I64:$seed, Tile_IntLike:$offset);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$kind $seed `,` $offset attr-dict `:` type($offset) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NEREID_TILE_COMPUTE_OPS_TD
