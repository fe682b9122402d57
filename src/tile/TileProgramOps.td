// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: which program this is, what it was configured with, and hints and debugging.
#ifndef NEREID_TILE_PROGRAM_OPS_TD
#define NEREID_TILE_PROGRAM_OPS_TD

include "tile/TileBase.td"

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "index of this program along a grid axis";
  let description = [{
    `result = p_axis`, with `0 <= p_axis < num_programs(axis)`.
    Constraints: c1: `axis` is 0, 1 or 2.
    Example: `%0 = tile.program_id 0`
  }];
  let arguments = (ins Tile_IntAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "extent of the grid along an axis";
  let description = [{
    `result = g_axis`, the extent of the grid along `axis`, at least 1.
    Constraints: c1: `axis` is 0, 1 or 2.
    Example: `%0 = tile.num_programs 1`
  }];
  let arguments = (ins Tile_IntAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Tile_MetaOp : Tile_Op<"meta", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of a meta-parameter, by name";
  let description = [{
    `result = value`, the number of the configuration that this kernel instance has. It is never folded, so that one
    kernel serves its whole autotune list and prints back as it was. `name` may be an expression over meta-parameters,
    as in the encoding of tiles.
    Example: `%0 = tile.meta "BLOCK" = 1024 : i32`
  }];
  let arguments = (ins StrAttr:$name, TypedAttrInterface:$value);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = "$name `=` $value attr-dict";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "int64_t":$value), [{
    build($_builder, $_state, $_builder.getI32Type(), $_builder.getStringAttr(name),
          $_builder.getI32IntegerAttr(value));
  }]>];
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "promises that a condition holds";
  let description = [{
    Undefined when `condition` is false; the interpreter reports a false promise. `tl.assume`.
    Example: `tile.assume %c`
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Tile_HintOp : Tile_Op<"hint", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "promises about the numbers of a value";
  let description = [{
    `result = value`; `kind` is `multiple_of`, `max_contiguous` or `max_constancy`, `values` one number a dimension
    (one for a scalar).
    Constraints: c1: `kind` is one of the three; c2: as many numbers as dimensions.
    Example: `%0 = tile.hint "multiple_of" [16] %x : tensor<64xi32>`
  }];
  let arguments = (ins StrAttr:$kind, DenseI64ArrayAttr:$values, Tile_Any:$value);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$kind $values $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of this program wait for one another";
  let description = [{
    Writes of every thread of the program before it are seen by all its threads after it; `tl.debug_barrier`.
    Example: `tile.barrier`
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints values for debugging";
  let description = [{
    Prints `prefix` and the lanes of each value; `tl.device_print`.
    Example: `tile.print "x" %x : tensor<4xi32>`
  }];
  let arguments = (ins StrAttr:$prefix, Variadic<Tile_Any>:$values);
  let assemblyFormat = "$prefix ($values^ `:` type($values))? attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "stops the program when a condition is false, under debugging only";
  let description = [{
    Where a lane of `condition` is false and that of `mask` true, the program stops with `message`. Without debugging it
    does nothing; `tl.device_assert`.
    Constraints: c1: `mask` has the shape of `condition`.
    Example: `tile.assert %c, "positive" mask %m : tensor<4xi1> : tensor<4xi1>`
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message, Optional<Tile_BoolLike>:$mask);
  let assemblyFormat = "$condition `,` $message (`mask` $mask^ `:` type($mask))? attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

#endif // NEREID_TILE_PROGRAM_OPS_TD
